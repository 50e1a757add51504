import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension LogEvent {
    /// A response as a log sees it, without secrets.
    public struct Response: Sendable, Hashable {
        /// The status code (RFC 9110 §15).
        public let statusCode: Int
        /// The header fields, with `<redacted>` for the values of secret ones.
        public let headers: Headers
        /// How many bytes the body has, any content coding undone.
        public let byteCount: Int
        /// The time since the request was sent.
        public let duration: Duration

        init(_ response: HTTPURLResponse, byteCount: Int, duration: Duration, redaction: LogRedaction) {
            statusCode = response.statusCode
            headers = redaction.redacted(Headers(response))
            self.byteCount = byteCount
            self.duration = duration
        }
    }
}
