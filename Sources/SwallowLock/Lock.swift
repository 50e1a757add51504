import Foundation

/// A value that one thread at a time can reach.
///
/// Hold it for moments, never while calling out. It is public, in a module of its own that isn't a product, so that the
/// compiler can specialise it for the types of other modules: a task takes a lock some twenty times.
public struct Lock<Value: Sendable>: @unchecked Sendable {
    // Unchecked: only `withLock` reaches the value, while it holds the mutex.
    @usableFromInline let storage: LockStorage<Value>

    /// Makes a lock around a value.
    @inlinable
    public init(_ value: Value) {
        storage = .make(value)
    }

    /// Reads or changes the value while no other thread can.
    ///
    /// - Parameter body: does so, for a moment.
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

/// The value and its mutex in one object: an `NSLock` takes two more.
// A mutex of POSIX, since the thread sanitizer on Linux doesn't understand Synchronization.Mutex.
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
