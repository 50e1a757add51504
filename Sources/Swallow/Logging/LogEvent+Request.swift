import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension LogEvent {
    /// A request as a log sees it, without secrets.
    public struct Request: Sendable, Hashable {
        /// A number that the events of one task have in common, and no other task of the process has.
        public let id: Int
        /// The method, such as `GET`.
        public let method: String
        /// The URL, without user and password, and with `<redacted>` for the values of secret query items.
        public let url: String
        /// The header fields, with `<redacted>` for the values of secret ones; those that the transport adds
        /// of its own, such as stored cookies, are not among them.
        public let headers: Headers
        /// How many bytes the body has; nil where it is a stream.
        public let bodyByteCount: Int?

        /// What was encoded.
        init(_ request: URLRequest, id: Int, redaction: LogRedaction) {
            self.id = id
            method = request.httpMethod ?? "GET"
            url = redaction.redactedURL(request.url?.absoluteString ?? "")
            headers = redaction.redacted(Headers(request.allHTTPHeaderFields ?? [:]))
            bodyByteCount = request.httpBodyStream == nil ? request.httpBody?.count ?? 0 : nil
        }

        /// What could not be encoded.
        init(_ request: Swallow.Request, id: Int, redaction: LogRedaction) {
            self.id = id
            method = request.method.rawValue
            url = redaction.redactedURL(request.urlString)
            headers = redaction.redacted(request.headers)
            bodyByteCount = 0
        }

        // Events of several services meet in one log, so their numbers come from one place for the process.
        private static let lastID = Lock(0)

        /// A number that no other task has.
        static func nextID() -> Int {
            lastID.withLock { lastID in
                lastID &+= 1
                return lastID
            }
        }
    }
}
