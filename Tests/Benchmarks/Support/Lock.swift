import Foundation

/// A value that one thread at a time can use. Unchecked, because `value` is used only while the lock is held.
public final class Lock<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    /// Creates a lock that guards a value.
    public init(_ value: Value) {
        self.value = value
    }

    /// Calls a closure with the value while the lock is held, and returns its result.
    public func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
