import SwallowLock

typealias Lock<Value: Sendable> = SwallowLock.Lock<Value>
