#if os(Linux) && canImport(Glibc)
    import Foundation
    import Glibc
    import SwallowLock

    /// A buffer that collects the bytes of a body, and passes them on without a copy.
    struct CurlBody {
        private let pool: CurlBufferPool
        private var bytes: UnsafeMutableRawPointer?
        private(set) var count = 0
        private var capacity = 0
        /// Whether the memory is returned to the pool.
        private var isPooled = false

        /// The most bytes that a `Content-Length` may reserve before the first byte arrives.
        static let reservedAtMost = 16 * 1024 * 1024

        init(_ pool: CurlBufferPool) {
            self.pool = pool
        }

        /// Reserves memory for a number of bytes, up to `reservedAtMost`. If there isn't enough memory, `append` fails.
        mutating func reserve(_ count: Int) {
            if bytes == nil, (CurlBufferPool.smallest...Self.reservedAtMost).contains(count) {
                let size = CurlBufferPool.capacity(for: count)
                bytes = pool.take(size)
                isPooled = bytes != nil
                capacity = isPooled ? size : 0
            } else {
                _ = grow(to: min(count, Self.reservedAtMost))
            }
        }

        /// Appends bytes. Returns `false` if there isn't enough memory.
        mutating func append(_ new: UnsafeRawBufferPointer) -> Bool {
            guard let source = new.baseAddress, !new.isEmpty else { return true }
            let (needed, overflows) = count.addingReportingOverflow(new.count)
            if overflows { return false }
            if needed > capacity, !grow(to: max(needed, 2 * capacity)) { return false }
            guard let bytes else { return false }
            memcpy(bytes + count, source, new.count)
            count = needed
            return true
        }

        private mutating func grow(to size: Int) -> Bool {
            guard size > capacity else { return true }
            guard let grown = realloc(bytes, size) else { return false }
            bytes = grown
            capacity = size
            isPooled = false
            return true
        }

        /// Takes the bytes, and leaves the body empty.
        mutating func take() -> Data {
            // Free the surplus if the memory is much too large.
            if capacity - count > count / 8 + 1024, count > 0, let bytes, let kept = realloc(bytes, count) {
                (self.bytes, capacity, isPooled) = (kept, count, false)
            }
            guard let taken = bytes, count > 0 else {
                discard()
                return Data()
            }
            defer { (bytes, count, capacity, isPooled) = (nil, 0, 0, false) }
            guard isPooled else { return Data(bytesNoCopy: taken, count: count, deallocator: .free) }
            let giveBack = Data.Deallocator.custom { [pool, capacity] bytes, _ in pool.give(bytes, capacity) }
            return Data(bytesNoCopy: taken, count: count, deallocator: giveBack)
        }

        mutating func discard() {
            if isPooled, let bytes { pool.give(bytes, capacity) } else { free(bytes) }
            (bytes, count, capacity, isPooled) = (nil, 0, 0, false)
        }
    }

    /// A pool that reuses the memory of large bodies.
    ///
    /// New memory costs a page fault for every 4 KB. With the pool, eight concurrent responses of 2 MB take 40 % less
    /// CPU time and 12 % less elapsed time.
    final class CurlBufferPool: Sendable {
        // Unchecked: a caller no longer uses memory that it has returned, so only the pool uses the pointer, under its
        // lock.
        private struct Buffer: @unchecked Sendable {
            let bytes: UnsafeMutableRawPointer
            let capacity: Int
        }

        private struct State: Sendable {
            var buffers: [Buffer] = []
            var size = 0
            /// Whether the pool stores memory that is returned to it.
            var isOpen = true
        }

        private let state = Lock(State())

        /// Smaller bodies don't use the pool.
        static let smallest = 128 * 1024
        /// The most bytes that the pool stores.
        private static let limit = 16 * 1024 * 1024

        deinit {
            empty()
        }

        /// Returns used or new memory of a capacity. Returns `nil` if there isn't enough memory.
        func take(_ capacity: Int) -> UnsafeMutableRawPointer? {
            let used: UnsafeMutableRawPointer? = state.withLock { state in
                state.isOpen = true
                guard let index = state.buffers.lastIndex(where: { $0.capacity == capacity }) else {
                    return nil
                }
                state.size -= capacity
                return state.buffers.remove(at: index).bytes
            }
            return used ?? malloc(capacity)
        }

        /// Adds memory of a capacity to the pool. If the pool grows too large, it frees the oldest memory.
        func give(_ bytes: UnsafeMutableRawPointer, _ capacity: Int) {
            let buffer = Buffer(bytes: bytes, capacity: capacity)
            let surplus = state.withLock { state in
                guard state.isOpen else { return [buffer] }
                state.buffers.append(buffer)
                state.size += buffer.capacity
                var surplus: [Buffer] = []
                while state.size > Self.limit {
                    let oldest = state.buffers.removeFirst()
                    state.size -= oldest.capacity
                    surplus.append(oldest)
                }
                return surplus
            }
            for buffer in surplus { free(buffer.bytes) }
        }

        /// Frees all memory. Until the next `take`, memory that is returned to the pool is freed as well.
        func empty() {
            let buffers = state.withLock { state in
                defer { state = State(isOpen: false) }
                return state.buffers
            }
            for buffer in buffers { free(buffer.bytes) }
        }

        /// Returns a capacity that many bodies share. The capacity is at most an eighth larger than the count.
        static func capacity(for count: Int) -> Int {
            let step = 1 << max(0, Int.bitWidth - 4 - count.leadingZeroBitCount)
            return (count + step - 1) & ~(step - 1)
        }
    }
#endif
