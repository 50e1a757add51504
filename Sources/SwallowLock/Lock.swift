import Foundation

/// A value that only one thread can access at a time. Don't call code of others while you hold the lock. The type is
/// public, in a module that isn't a product, so that the compiler can specialize it for other modules. A task
/// acquires many locks.
public struct Lock<Value: Sendable>: @unchecked Sendable {
    // Unchecked: only `withLock` accesses the value, while it holds the mutex.
    @usableFromInline let storage: LockStorage<Value>

    /// Creates a lock around a value.
    @inlinable
    public init(_ value: Value) {
        storage = .make(value)
    }

    /// Calls a closure that reads or changes the value while no other thread can access it.
    ///
    /// - Parameter body: The closure. It must not block.
    @inlinable @inline(__always)
    public func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try storage.withUnsafeMutablePointers { value, mutex throws(Failure) in
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            return try body(&value.pointee)
        }
    }
}

/// One object for the value and its mutex, because an `NSLock` needs two more objects.
// This isn't a Synchronization.Mutex, which the thread sanitizer on Linux doesn't support.
@usableFromInline
final class LockStorage<Value: Sendable>: ManagedBuffer<Value, pthread_mutex_t> {
    @inlinable
    static func make(_ value: Value) -> LockStorage<Value> {
        let storage = create(minimumCapacity: 1) { storage in
            storage.withUnsafeMutablePointerToElements { mutex in
                mutex.initialize(to: pthread_mutex_t())
                pthread_mutex_init(mutex, nil)
            }
            return value
        }
        return unsafeDowncast(storage, to: Self.self)
    }

    @inlinable
    deinit {
        withUnsafeMutablePointerToElements { mutex in
            pthread_mutex_destroy(mutex)
            mutex.deinitialize(count: 1)
        }
    }
}
