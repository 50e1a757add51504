import SwallowLock

package typealias Flow = SwallowLock.Flow
