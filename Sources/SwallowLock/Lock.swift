import Foundation

/// A value that only one thread can access at a time. Don't call an app's code while you hold the lock. The type is
/// public so that the compiler can specialize it in other modules, but its module isn't a product.
public struct Lock<Value: Sendable>: @unchecked Sendable {
    // Unchecked: `withLock` holds the mutex while it accesses the value.
    @usableFromInline let storage: LockStorage<Value>

    /// Creates a lock around a value.
    @inlinable
    public init(_ value: consuming Value) {
        storage = .make(value)
    }

    /// Calls a closure while no other thread can access the value.
    @inlinable @inline(__always)
    public func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try storage.withUnsafeMutablePointers { mutex, value throws(Failure) in
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            return try body(&value.pointee)
        }
    }
}

/// One object with the mutex and its value.
// A `Synchronization.Mutex` isn't used, because the thread sanitizer on Linux doesn't support it.
@usableFromInline
final class LockStorage<Value: Sendable>: ManagedBuffer<pthread_mutex_t, Value> {
    @inlinable
    static func make(_ value: consuming Value) -> LockStorage<Value> {
        let storage = create(minimumCapacity: 1) { _ in pthread_mutex_t() }
        storage.withUnsafeMutablePointerToHeader { _ = pthread_mutex_init($0, nil) }
        // Outside the closure, the value is moved instead of copied.
        storage.withUnsafeMutablePointerToElements { $0 }.initialize(to: value)
        return unsafeDowncast(storage, to: Self.self)
    }

    @inlinable
    deinit {
        withUnsafeMutablePointers { mutex, value in
            pthread_mutex_destroy(mutex)
            value.deinitialize(count: 1)
        }
    }
}
