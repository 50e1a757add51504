#if os(Linux)
    /// The lines of a response's head as they come: informational responses (RFC 9110 §15.2) make room for the final
    /// one, and what follows that (trailers) is left out.
    struct CurlHeadBuffer {
        /// The lines of the latest head, each with its line break.
        private(set) var bytes: [UInt8] = []
        private var received = 0
        private var isComplete = false

        /// What one exchange may send in heads; later versions of libcurl stop at 300 KB, with a less telling error.
        private static let limit = 256 * 1024

        /// Says whether there is room for the line.
        mutating func append(_ line: UnsafeRawBufferPointer) -> Bool {
            received += line.count
            guard received <= Self.limit else { return false }
            if isComplete {
                guard isInformational else { return true }
                bytes.removeAll(keepingCapacity: true)
                isComplete = false
            }
            if bytes.isEmpty { bytes.reserveCapacity(512) }
            bytes.append(contentsOf: line)
            isComplete = line.first == 0x0D || line.first == 0x0A
            return true
        }

        /// Whether the status is one of 1xx: the digit that follows the first space.
        private var isInformational: Bool {
            guard let space = bytes.firstIndex(of: 0x20), space + 1 < bytes.count else { return false }
            return bytes[space + 1] == UInt8(ascii: "1")
        }
    }
#endif
