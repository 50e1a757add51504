#if os(Linux)
    import Foundation
    import Glibc

    /// The bytes of a body as they come, handed over without a copy.
    struct CurlBody {
        private var bytes: UnsafeMutableRawPointer?
        private(set) var count = 0
        private var capacity = 0

        /// What a `Content-Length` may have reserved before a byte has come.
        private static let reservedAtMost = 16 * 1024 * 1024

        /// Makes room for so many bytes, up to a limit; where there is no memory, `append` will tell.
        mutating func reserve(_ count: Int) {
            _ = grow(to: min(count, Self.reservedAtMost))
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
            return true
        }

        /// The bytes; none are left here.
        mutating func take() -> Data {
            guard let taken = bytes, count > 0 else {
                discard()
                return Data()
            }
            // What is much too large gives its rest back.
            let kept = capacity - count > count / 8 + 1024 ? realloc(taken, count) ?? taken : taken
            defer { (bytes, count, capacity) = (nil, 0, 0) }
            return Data(bytesNoCopy: kept, count: count, deallocator: .free)
        }

        mutating func discard() {
            free(bytes)
            (bytes, count, capacity) = (nil, 0, 0)
        }
    }
#endif
