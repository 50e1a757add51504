#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
    import Foundation

    /// The response of a transfer as it comes: the lines of its head, then its body, unpacked.
    struct CurlResponse {
        private(set) var head: CurlHeadBuffer
        /// The head, or `nil` while it is incomplete.
        private(set) var completeHead: EngineHead?
        /// What undoes the body's codings; nil where it has none.
        private(set) var decoder: CurlContentDecoder?
        /// How many bytes of the body came, before its codings were undone.
        private(set) var receivedCount: Int64 = 0
        /// The unpacked bytes of the body that have not been taken yet.
        var body: CurlBody
        /// How many unpacked bytes may be in memory.
        private var limit: Int
        /// Watches how TLS ends, for a body that ends with the connection.
        private var tlsWatch: OpaquePointer?
        /// Whether the request is a HEAD.
        private var isOfHead = false
        private var mayUpgrade = false
        private let commons: CurlCommons

        /// The most bytes of an unwanted body that are still read, so that its connection can be used again.
        private static let drainLimit = 64 * 1024

        init(_ commons: CurlCommons) {
            self.commons = commons
            head = CurlHeadBuffer(commons.options.headLimits)
            body = CurlBody(commons.pool)
            limit = commons.options.maximumSize
        }

        mutating func start(_ request: borrowing CurlRequest) {
            isOfHead = request.isHead
            mayUpgrade = request.signs.asksForUpgrade
        }

        mutating func discard() {
            body.discard()
            _ = hasEndedTLS()
        }

        /// Lets go of all that came.
        mutating func clear() {
            discard()
            self = CurlResponse(commons)
        }
    }

    // MARK: - The head

    extension CurlResponse {
        /// What a line means for the head.
        enum Line {
            /// The head goes on, or it had ended before.
            case line
            /// The final head is complete.
            case end
            case refused(EngineFailure)
        }

        /// Takes a line of the head, or of what follows a chunked body.
        mutating func receive(_ line: UnsafeRawBufferPointer) -> Line {
            let isTrailer = head.isComplete
            if let problem = head.append(line, mayUpgrade: mayUpgrade) {
                return .refused(.transport(.badServerResponse, "The response is refused: \(problem)."))
            }
            guard head.isComplete, !isTrailer else { return .line }
            completeHead = EngineHead(head.bytes)
            return completeHead == nil
                ? .refused(.transport(.badServerResponse, "The response has no valid status.")) : .end
        }

        /// Watches for how TLS ends, where nothing but the connection's end says where the body ends.
        mutating func watchEnd(_ easy: UnsafeMutableRawPointer) {
            if endsWithConnection { tlsWatch = swallow_curl_watch_tls(easy) }
        }

        /// Whether the rest of the request's body isn't wanted any more: libcurl stops sending at a head that refuses it, but not
        /// while it waits for bytes.
        var stopsSending: Bool { completeHead.map { $0.status >= 300 } ?? false }

        /// Whether the head promises more than may be in memory.
        var isTooLong: Bool { head.framing.length.map { $0 > Int64(limit) && mayHaveBody } ?? false }

        /// How many bytes the body will have; nil where that isn't known.
        func expectedCount(_ easy: UnsafeMutableRawPointer) -> Int64? {
            guard head.isComplete, mayHaveBody else { return nil }
            let length = swallow_curl_get_offset(easy, CurlInfo.contentLength)
            return length >= 0 ? length : nil
        }

        /// Whether nothing but the connection's end says where the body ends (RFC 9112 §6.3).
        private var endsWithConnection: Bool {
            head.framing.endsWithConnection && head.isHTTP1 && mayHaveBody
        }

        /// Whether a body may follow. A 304, say, has none, whatever its fields tell of one (RFC 9112 §6.3).
        private var mayHaveBody: Bool {
            !isOfHead && completeHead.map { $0.status != 204 && $0.status != 304 } ?? true
        }
    }

    // MARK: - The body

    extension CurlResponse {
        /// Counts bytes that have come, and gets ready for the first ones; returns why they can't be unpacked.
        mutating func note(
            _ bytes: UnsafeRawBufferPointer, isStreamed: Bool, _ easy: UnsafeMutableRawPointer
        ) -> EngineFailure? {
            if receivedCount == 0 {
                if !isStreamed {
                    let length = Int(max(0, swallow_curl_get_offset(easy, CurlInfo.contentLength)))
                    if length >= CurlBufferPool.smallest { commons.usesPool = true }
                    body.reserve(length)
                }
                if let failure = prepareDecoder() { return failure }
            }
            receivedCount += Int64(bytes.count)
            return nil
        }

        private mutating func prepareDecoder() -> EngineFailure? {
            let codings = head.framing.codings
            guard decoder == nil, !codings.isEmpty, CurlContentDecoder.accepted != nil else { return nil }
            guard let new = CurlContentDecoder(codings) else {
                let text = codings.joined(separator: ", ").debugDescription
                return .transport(.cannotDecodeContentData, "The Content-Encoding \(text) isn't known.")
            }
            decoder = new.isIdentity ? nil : new
            return nil
        }

        /// Whether so many bytes more may be in memory.
        func hasRoom(for count: Int) -> Bool { count <= limit - body.count }

        /// The failure of a body that is too long for memory.
        var excess: EngineFailure {
            .transport(
                .dataLengthExceedsMaximum, "The body has more bytes than maximumResponseSize, \(limit).")
        }

        /// Prepares to drop the rest of an unwanted body. Returns whether it is short enough.
        mutating func drains() -> Bool {
            let length = mayHaveBody ? head.framing.length ?? 0 : 0
            guard max(Int64(body.count), length) <= Self.drainLimit else { return false }
            limit = Self.drainLimit
            return true
        }
    }

    // MARK: - The end

    extension CurlResponse {
        /// Checks a response that libcurl has ended without an error; returns why it is incomplete, or nil.
        mutating func problemAtEnd() -> EngineFailure? {
            guard head.isComplete else {
                return .transport(.networkConnectionLost, "The connection ended within the head.")
            }
            guard hasEndedTLS() else {
                return .transport(.networkConnectionLost, "The connection ended before TLS did.")
            }
            return isWhole ? nil : .transport(.cannotDecodeContentData, "The compressed body ends too early.")
        }

        /// Whether TLS was ended properly, so that a body that ends with the connection may be whole (RFC 9112 §9.8).
        /// With an older OpenSSL, or where libcurl is between it and the socket, any end counts as proper.
        private mutating func hasEndedTLS() -> Bool {
            guard let watch = tlsWatch.take() else { return true }
            return swallow_curl_end_tls_watch(watch)
        }

        /// Whether the body's codings came to their end; an empty body has none, unless it may have been cut short.
        private var isWhole: Bool {
            if let decoder { return decoder.isComplete }
            guard endsWithConnection, receivedCount == 0 else { return true }
            return CurlContentDecoder(head.framing.codings)?.isIdentity == true
        }
    }
#endif
