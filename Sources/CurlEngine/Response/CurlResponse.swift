#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
    import Foundation
    import SwallowLock

    struct CurlResponse {
        private(set) var head: CurlHeadBuffer
        private(set) var decoder: CurlContentDecoder?
        private(set) var receivedCount: Int64 = 0
        var body: CurlBody
        private var limit: Int
        private var tlsWatch: OpaquePointer?
        private let isOfHead: Bool
        private let mayUpgrade: Bool
        private let isTunnel: Bool
        private var hasTunnelEnded = false
        private let commons: CurlCommons

        init(_ request: CurlRequest, _ commons: CurlCommons) {
            isOfHead = request.isHead
            mayUpgrade = request.signs.requestsUpgrade
            isTunnel = request.isTunnel
            self.commons = commons
            head = CurlHeadBuffer(commons.options.headLimits)
            body = CurlBody(commons.pool)
            limit = commons.options.maximumSize
        }

        mutating func discard() {
            body.discard()
            _ = hasEndedTLS()
        }
    }

    extension CurlResponse {
        enum Line {
            case line
            case end
            case failed(EngineFailure)
        }

        mutating func receive(_ line: UnsafeRawBufferPointer) -> Line {
            let isTrailer = head.isComplete
            if let problem = head.append(line, mayUpgrade: mayUpgrade) {
                return .failed(.transport(.badServerResponse, "The response was rejected: \(problem)."))
            }
            return head.isComplete && !isTrailer ? .end : .line
        }

        var completeHead: EngineHead? {
            head.isComplete ? EngineHead(status: head.status, lines: head.bytes) : nil
        }

        mutating func watchEnd(_ easy: UnsafeMutableRawPointer) {
            if endsWithConnection { tlsWatch = swallow_curl_watch_tls(easy) }
        }

        var stopsSending: Bool {
            hasTunnelEnded || head.isComplete && (head.status >= 300 || isTunnel && head.status != 101)
        }

        mutating func endTunnel() { hasTunnelEnded = true }

        var isTooLong: Bool { head.framing.length.map { $0 > Int64(limit) && mayHaveBody } ?? false }

        func expectedCount(_ easy: UnsafeMutableRawPointer) -> Int64? {
            guard head.isComplete, mayHaveBody else { return nil }
            let length = swallow_curl_get_offset(easy, CurlInfo.contentLength)
            return length >= 0 ? length : nil
        }

        /// Whether only the end of the connection marks the end of the body (RFC 9112 §6.3).
        private var endsWithConnection: Bool {
            head.framing.endsWithConnection && head.isHTTP1 && mayHaveBody
        }

        /// Whether the body may be incomplete although libcurl reports a success.
        var mayBeIncomplete: Bool { endsWithConnection || decoder?.isComplete == false }

        /// Whether a body may follow. A 304, for example, has no body even if its fields describe one (RFC 9112 §6.3).
        private var mayHaveBody: Bool {
            !isOfHead && head.status != 204 && head.status != 304
        }
    }

    extension CurlResponse {
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

        func hasRoom(for count: Int) -> Bool { count <= limit - body.count }

        var excess: EngineFailure {
            .transport(
                .dataLengthExceedsMaximum, "The body has more than \(limit) bytes (maximumResponseSize).")
        }

        mutating func drains() -> Bool {
            let length = mayHaveBody ? head.framing.length ?? 0 : 0
            guard max(Int64(body.count), length) <= HeadAnswer.drainLimit else { return false }
            limit = HeadAnswer.drainLimit
            return true
        }
    }

    extension CurlResponse {
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
            return isBodyComplete
                ? nil : .transport(.cannotDecodeContentData, "The compressed body is incomplete.")
        }

        /// Returns whether TLS ended properly (RFC 9112 §9.8). Without a watch, any end counts as proper.
        private mutating func hasEndedTLS() -> Bool {
            guard let watch = tlsWatch.take() else { return true }
            return swallow_curl_end_tls_watch(watch)
        }

        private var isBodyComplete: Bool {
            if let decoder { return decoder.isComplete }
            guard endsWithConnection, receivedCount == 0 else { return true }
            return CurlContentDecoder(head.framing.codings)?.isIdentity == true
        }
    }
#endif
