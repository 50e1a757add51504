#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
    import Glibc

    /// Compresses and decompresses the messages of one connection with raw deflate (RFC 7692 §7.2).
    // Unchecked: the owner calls its functions under a lock.
    final class MessageCodec: @unchecked Sendable {
        enum Failure: Error {
            case malformed
            case tooLarge
        }

        private let deflater: OpaquePointer
        private var inflater: OpaquePointer
        private let (sentForgets, receivedForgets): (Bool, Bool)
        /// Whether the deflater has lost its state, so that no message can be compressed anymore.
        private var isBroken = false

        /// The end of an empty block, which compressed messages leave out.
        private static let tail: [UInt8] = [0, 0, 0xFF, 0xFF]

        /// Creates a codec, or `nil` without zlib. With `sentForgets`, sent messages don't refer to earlier ones.
        init?(sentForgets: Bool, receivedForgets: Bool) {
            guard let inflater = swallow_decoder_make(SWALLOW_DEFLATE, true) else { return nil }
            guard let deflater = swallow_deflater_make() else {
                swallow_decoder_free(inflater)
                return nil
            }
            (self.deflater, self.inflater) = (deflater, inflater)
            (self.sentForgets, self.receivedForgets) = (sentForgets, receivedForgets)
        }

        deinit {
            swallow_deflater_free(deflater)
            swallow_decoder_free(inflater)
        }

        static let isAvailable = MessageCodec(sentForgets: true, receivedForgets: true) != nil

        /// Compresses a message. Returns `nil` after a failure, for example if memory is short.
        func compressed(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
            if isBroken { return nil }
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

        func decompressed(_ bytes: [UInt8], limit: Int) throws(Failure) -> [UInt8] {
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
        ) throws(Failure) -> Bool {
            var offset = 0
            while true {
                let (state, read, written) = run(part[offset...], &room)
                offset += read
                guard written <= limit - output.count else { throw .tooLarge }
                output += room[..<written]
                switch state {
                case SWALLOW_HAS_MORE: continue
                case SWALLOW_WANTS_MORE: return false
                case SWALLOW_AT_END:
                    // The sender has ended its deflate stream, and may begin another one (RFC 7692 §7.2.3.4).
                    try restart()
                    if offset == part.count { return true }
                default: throw .malformed
                }
            }
        }

        private func restart() throws(Failure) {
            guard let new = swallow_decoder_make(SWALLOW_DEFLATE, true) else { throw .malformed }
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
#endif
