import SwallowLock

package typealias Lock<Value: Sendable> = SwallowLock.Lock<Value>
