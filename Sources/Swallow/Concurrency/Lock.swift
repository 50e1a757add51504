import SwallowLock

package typealias Lock<Value: Sendable> = SwallowLock.Lock<Value>
package typealias Flow = SwallowLock.Flow
typealias HeadAnswer = SwallowLock.HeadAnswer
package typealias TransferPause = SwallowLock.TransferPause
