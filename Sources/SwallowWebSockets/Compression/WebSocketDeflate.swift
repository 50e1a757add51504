#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
    import Glibc

    /// permessage-deflate with the system's zlib (RFC 7692 §7.2).
    // Unchecked: the owner calls its functions under a lock.
    final class WebSocketDeflate: WebSocketDeflating, @unchecked Sendable {
        private let deflater: OpaquePointer
        private var inflater: OpaquePointer
        /// Whether messages in each direction don't refer to earlier ones.
        private let (sentForgets, receivedForgets): (Bool, Bool)
        /// Whether the deflater has lost its state after a failure, for example because memory is short.
        private var isBroken = false

        static let isAvailable = WebSocketDeflate(WebSocketDeflateTerms()) != nil

        /// The shortest message that is compressed, in bytes.
        private static let shortest = 64
        /// The end of an empty block, which compressed messages leave out.
        private static let tail: [UInt8] = [0, 0, 0xFF, 0xFF]

        /// Returns `nil` if zlib is missing or memory is short.
        init?(_ terms: WebSocketDeflateTerms, isServer: Bool = false) {
            guard let inflater = swallow_decoder_make(SWALLOW_DEFLATE, true) else { return nil }
            guard let deflater = swallow_deflater_make() else {
                swallow_decoder_free(inflater)
                return nil
            }
            (self.deflater, self.inflater) = (deflater, inflater)
            let (client, server) = (terms.clientForgets, terms.serverForgets)
            (sentForgets, receivedForgets) = isServer ? (server, client) : (client, server)
        }

        deinit {
            swallow_deflater_free(deflater)
            swallow_decoder_free(inflater)
        }

        func compressed(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
            if isBroken || bytes.count < Self.shortest { return nil }
            var count = 0
            let result = bytes.withUnsafeBufferPointer { bytes in
                bytes.baseAddress.flatMap {
                    swallow_deflater_run(deflater, $0, bytes.count, sentForgets, &count)
                }
            }
            guard let result else {
                isBroken = true
                return nil
            }
            defer { free(result) }
            return Array(UnsafeBufferPointer(start: result, count: max(0, count - Self.tail.count)))
        }

        func decompressed(_ bytes: [UInt8], limit: Int) throws(WebSocketFailure) -> [UInt8] {
            var output: [UInt8] = []
            var room = [UInt8](repeating: 0, count: 32 * 1024)
            // Adds the omitted end of the empty block that ends a message, unless the message ends the deflate stream.
            if try !decompress(bytes, &room, into: &output, limit: limit) {
                _ = try decompress(Self.tail, &room, into: &output, limit: limit)
            }
            if receivedForgets { try restart() }
            return output
        }

        /// Decompresses bytes. Returns whether the sender's deflate stream ends with them.
        private func decompress(
            _ part: [UInt8], _ room: inout [UInt8], into output: inout [UInt8], limit: Int
        ) throws(WebSocketFailure) -> Bool {
            var offset = 0
            while true {
                let (state, read, written) = run(part[offset...], &room)
                offset += read
                guard written <= limit - output.count else { throw .tooLarge(limit) }
                output += room[..<written]
                switch state {
                case SWALLOW_HAS_MORE: continue
                case SWALLOW_WANTS_MORE: return false
                case SWALLOW_AT_END:
                    // The sender has ended its deflate stream, and may begin another one (RFC 7692 §7.2.3.4).
                    try restart()
                    if offset == part.count { return true }
                default: throw .invalidCompression
                }
            }
        }

        private func restart() throws(WebSocketFailure) {
            guard let new = swallow_decoder_make(SWALLOW_DEFLATE, true) else { throw .invalidCompression }
            swallow_decoder_free(inflater)
            inflater = new
        }

        private func run(
            _ part: ArraySlice<UInt8>, _ room: inout [UInt8]
        ) -> (swallow_decoding, read: Int, written: Int) {
            part.withUnsafeBufferPointer { part in
                room.withUnsafeMutableBufferPointer { room in
                    guard let start = part.baseAddress, let out = room.baseAddress else {
                        return (SWALLOW_WANTS_MORE, 0, 0)
                    }
                    // zlib counts in `unsigned int`.
                    let count = min(part.count, 1 << 30)
                    var bytes = swallow_decoder_bytes(
                        in: start, in_count: count, out: out, out_count: room.count)
                    let state = swallow_decoder_run(inflater, &bytes)
                    let isMore = state == SWALLOW_WANTS_MORE && count < part.count
                    return (
                        isMore ? SWALLOW_HAS_MORE : state, count - bytes.in_count,
                        room.count - bytes.out_count
                    )
                }
            }
        }
    }
#else
    /// Compresses nothing. Messages are compressed only on Linux with Glibc.
    final class WebSocketDeflate: WebSocketDeflating {
        static var isAvailable: Bool { false }

        init?(_ terms: WebSocketDeflateTerms) { return nil }

        func compressed(_ bytes: ArraySlice<UInt8>) -> [UInt8]? { nil }

        func decompressed(_ bytes: [UInt8], limit: Int) throws(WebSocketFailure) -> [UInt8] {
            throw .invalidCompression
        }
    }
#endif
