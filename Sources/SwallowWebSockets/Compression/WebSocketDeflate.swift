#if os(Linux) && canImport(Glibc)
    /// permessage-deflate with the system's zlib.
    final class WebSocketDeflate: WebSocketDeflating {
        private let codec: MessageCodec

        static var isAvailable: Bool { MessageCodec.isAvailable }

        /// The shortest message that is compressed, in bytes.
        private static let shortest = 64

        init?(_ terms: WebSocketDeflateTerms, isServer: Bool = false) {
            guard
                let codec = MessageCodec(
                    sentForgets: isServer ? terms.serverForgets : terms.clientForgets,
                    receivedForgets: isServer ? terms.clientForgets : terms.serverForgets)
            else { return nil }
            self.codec = codec
        }

        func compressed(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
            bytes.count < Self.shortest ? nil : codec.compressed(bytes)
        }

        func decompressed(_ bytes: [UInt8], limit: Int) throws(WebSocketFailure) -> [UInt8] {
            do { return try codec.decompressed(bytes, limit: limit) } catch {
                throw error == .tooLarge ? .tooLarge(limit) : .invalidCompression
            }
        }
    }
#else
    /// Compresses nothing, on platforms without a `MessageCodec`.
    final class WebSocketDeflate: WebSocketDeflating {
        static var isAvailable: Bool { false }

        init?(_ terms: WebSocketDeflateTerms) { return nil }

        func compressed(_ bytes: ArraySlice<UInt8>) -> [UInt8]? { nil }

        func decompressed(_ bytes: [UInt8], limit: Int) throws(WebSocketFailure) -> [UInt8] {
            throw .invalidCompression
        }
    }
#endif
