import Foundation

extension LoopbackServer {
    /// What a handler answers.
    ///
    /// The server adds `Content-Length` or `Transfer-Encoding` unless the handler set one of them. A
    /// `Connection: close` among the headers is obeyed.
    public struct Response: Sendable {
        /// The content and how it travels. Never sent in answer to HEAD, or with a status of 1xx, 204 or 304.
        public enum Body: Sendable {
            /// No content: `Content-Length: 0`.
            case none
            /// Content of known length.
            case data(Data)
            /// Content in chunks of these sizes, each sent by itself.
            case chunked([Data])
            /// The same with a pause between one chunk and the next.
            case drip(chunks: [Data], every: Duration)
        }

        /// The status code.
        public var status: Int
        /// The header fields in the order to be sent.
        public var headers: [(name: String, value: String)]
        /// The content.
        public var body: Body

        /// Makes a response; 200 without headers or content by default.
        public init(status: Int = 200, headers: [(name: String, value: String)] = [], body: Body = .none) {
            self.status = status
            self.headers = headers
            self.body = body
        }

        /// JSON text as `application/json`. The text isn't checked.
        public static func json(_ text: String, status: Int = 200) -> Response {
            json(Data(text.utf8), status: status)
        }

        /// JSON text as `application/json`. The text isn't checked.
        public static func json(_ data: Data, status: Int = 200) -> Response {
            .data(data, contentType: "application/json", status: status)
        }

        /// Plain text in UTF-8.
        public static func text(_ text: String, status: Int = 200) -> Response {
            .data(Data(text.utf8), contentType: "text/plain; charset=utf-8", status: status)
        }

        /// Any bytes.
        public static func data(_ data: Data, contentType: String, status: Int = 200) -> Response {
            Response(status: status, headers: [("Content-Type", contentType)], body: .data(data))
        }

        /// A status without content.
        public static func status(_ status: Int) -> Response {
            Response(status: status)
        }

        /// A redirect. `location` is sent as it is and may be relative.
        public static func redirect(to location: String, status: Int = 302) -> Response {
            Response(status: status, headers: [("Location", location)])
        }

        func header(_ name: String) -> String? {
            headers.first { $0.name.equalsIgnoringCase(name) }?.value
        }

        /// RFC 9110 section 6.4.1: these never have content, whatever the request.
        var isBodiless: Bool {
            status < 200 || status == 204 || status == 304
        }

        var reasonPhrase: String {
            switch status {
            case 200: "OK"
            case 201: "Created"
            case 202: "Accepted"
            case 204: "No Content"
            case 301: "Moved Permanently"
            case 302: "Found"
            case 303: "See Other"
            case 304: "Not Modified"
            case 307: "Temporary Redirect"
            case 308: "Permanent Redirect"
            case 400: "Bad Request"
            case 401: "Unauthorized"
            case 403: "Forbidden"
            case 404: "Not Found"
            case 413: "Content Too Large"
            case 422: "Unprocessable Content"
            case 429: "Too Many Requests"
            case 431: "Request Header Fields Too Large"
            case 500: "Internal Server Error"
            case 503: "Service Unavailable"
            default: "Status \(status)"
            }
        }
    }
}
