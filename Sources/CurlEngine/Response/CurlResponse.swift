#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
    import Foundation
    import SwallowLock

    /// The response of a transfer while it arrives. Collects the lines of the head, then the decoded body.
    struct CurlResponse {
        private(set) var head: CurlHeadBuffer
        /// The head, or `nil` while it is incomplete.
        private(set) var completeHead: EngineHead?
        /// The decoder of the body's content codings. `nil` if there is nothing to decode.
        private(set) var decoder: CurlContentDecoder?
        /// The number of bytes of the body received so far, before decoding.
        private(set) var receivedCount: Int64 = 0
        /// The decoded bytes of the body that haven't been taken yet.
        var body: CurlBody
        /// The most decoded bytes that may be in memory.
        private var limit: Int
        /// Watches how TLS ends if the body ends with the connection.
        private var tlsWatch: OpaquePointer?
        /// Whether the request's method is HEAD.
        private var isOfHead = false
        private var mayUpgrade = false
        private let commons: CurlCommons

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

        /// Discards everything that was received.
        mutating func clear() {
            discard()
            self = CurlResponse(commons)
        }
    }

    // MARK: - The head

    extension CurlResponse {
        /// The effect of a line on the head.
        enum Line {
            /// The head continues, or it was complete before this line.
            case line
            /// The final head is complete.
            case end
            case refused(EngineFailure)
        }

        /// Receives a line of the head, or a trailer line.
        mutating func receive(_ line: UnsafeRawBufferPointer) -> Line {
            let isTrailer = head.isComplete
            if let problem = head.append(line, mayUpgrade: mayUpgrade) {
                return .refused(.transport(.badServerResponse, "The response was rejected: \(problem)."))
            }
            guard head.isComplete, !isTrailer else { return .line }
            completeHead = EngineHead(head.bytes)
            return completeHead == nil
                ? .refused(.transport(.badServerResponse, "The response has no valid status.")) : .end
        }

        /// Watches how TLS ends if only the end of the connection marks the end of the body.
        mutating func watchEnd(_ easy: UnsafeMutableRawPointer) {
            if endsWithConnection { tlsWatch = swallow_curl_watch_tls(easy) }
        }

        /// Whether the server doesn't want the rest of the request's body. libcurl stops sending if the head rejects
        /// the body, but not while libcurl waits for bytes.
        var stopsSending: Bool { completeHead.map { $0.status >= 300 } ?? false }

        /// Whether the head announces a body that is too long for memory.
        var isTooLong: Bool { head.framing.length.map { $0 > Int64(limit) && mayHaveBody } ?? false }

        /// Returns the length of the body in bytes, or `nil` if the length is unknown.
        func expectedCount(_ easy: UnsafeMutableRawPointer) -> Int64? {
            guard head.isComplete, mayHaveBody else { return nil }
            let length = swallow_curl_get_offset(easy, CurlInfo.contentLength)
            return length >= 0 ? length : nil
        }

        /// Whether only the end of the connection marks the end of the body (RFC 9112 §6.3).
        private var endsWithConnection: Bool {
            head.framing.endsWithConnection && head.isHTTP1 && mayHaveBody
        }

        /// Whether a body may follow. A 304, for example, has no body even if its fields describe one (RFC 9112 §6.3).
        private var mayHaveBody: Bool {
            !isOfHead && completeHead.map { $0.status != 204 && $0.status != 304 } ?? true
        }
    }

    // MARK: - The body

    extension CurlResponse {
        /// Counts received bytes, and prepares for the first ones. Returns the failure if the bytes can't be decoded.
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
                return .transport(.cannotDecodeContentData, "The Content-Encoding \(text) isn't supported.")
            }
            decoder = new.isIdentity ? nil : new
            return nil
        }

        /// Returns whether memory may hold a number of additional bytes.
        func hasRoom(for count: Int) -> Bool { count <= limit - body.count }

        /// The failure of a body that is too long for memory.
        var excess: EngineFailure {
            .transport(
                .dataLengthExceedsMaximum, "The body has more than \(limit) bytes (maximumResponseSize).")
        }

        /// Prepares to drop the rest of an unwanted body. Returns whether it is short enough.
        mutating func drains() -> Bool {
            let length = mayHaveBody ? head.framing.length ?? 0 : 0
            guard max(Int64(body.count), length) <= HeadAnswer.drainLimit else { return false }
            limit = HeadAnswer.drainLimit
            return true
        }
    }

    // MARK: - The end

    extension CurlResponse {
        /// Checks a response that libcurl has completed without an error. Returns the failure if the response is
        /// incomplete, otherwise `nil`.
        mutating func problemAtEnd() -> EngineFailure? {
            guard head.isComplete else {
                return .transport(
                    .networkConnectionLost, "The connection was closed before the head was complete.")
            }
            guard hasEndedTLS() else {
                return .transport(
                    .networkConnectionLost,
                    "The connection was closed before TLS ended, so the body may be incomplete.")
            }
            return isWhole ? nil : .transport(.cannotDecodeContentData, "The compressed body is incomplete.")
        }

        /// Returns whether TLS ended properly, so that a body that ends with the connection may be complete (RFC 9112
        /// §9.8). Any end counts as proper with an older OpenSSL, or if libcurl is between OpenSSL and the socket.
        private mutating func hasEndedTLS() -> Bool {
            guard let watch = tlsWatch.take() else { return true }
            return swallow_curl_end_tls_watch(watch)
        }

        /// Whether the body's codings are complete. An empty body needs no codings, unless it may have been truncated.
        private var isWhole: Bool {
            if let decoder { return decoder.isComplete }
            guard endsWithConnection, receivedCount == 0 else { return true }
            return CurlContentDecoder(head.framing.codings)?.isIdentity == true
        }
    }
#endif
