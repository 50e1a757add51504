import Foundation

/// A value that one thread at a time can reach.
///
/// Held for moments, never while calling out.
// NSLock, since the thread sanitizer on Linux doesn't understand Synchronization.Mutex.
// Unchecked: only `withLock` touches `value`, between lock() and unlock().
package final class Lock<Value: Sendable>: @unchecked Sendable {
    @usableFromInline let lock = NSLock()
    // The lock itself keeps accesses apart. The check at run time adds 5 % to a task in memory: 5.88 µs rather than 5.59 by the
    // benchmark "pipeline: JSON of 60 bytes".
    @exclusivity(unchecked) @usableFromInline var value: Value

    @inlinable
    package init(_ value: Value) {
        self.value = value
    }

    @inlinable @inline(__always)
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
