#if os(Linux)
    import Foundation
    import Glibc

    /// The bytes of a body as they come, handed over without a copy.
    struct CurlBody {
        private let pool: CurlBufferPool
        private var bytes: UnsafeMutableRawPointer?
        private(set) var count = 0
        private var capacity = 0
        /// Whether the memory goes back to the pool.
        private var isPooled = false

        /// What a `Content-Length` may have reserved before a byte has come.
        private static let reservedAtMost = 16 * 1024 * 1024

        init(_ pool: CurlBufferPool) {
            self.pool = pool
        }

        /// Makes room for so many bytes, up to a limit; where there is no memory, `append` will tell.
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

        /// Says whether there was memory.
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

        /// The bytes; none are left here.
        mutating func take() -> Data {
            // What is much too large gives its rest back.
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
#endif
