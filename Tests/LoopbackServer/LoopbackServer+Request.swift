import Foundation

extension LoopbackServer {
    /// A request as it came over the wire.
    public struct Request: Sendable {
        /// The method, as written.
        public let method: String
        /// The request target, as received: usually the path and the query.
        public let target: String
        /// The path, still percent-encoded, without the query.
        public let path: String
        /// The query, still percent-encoded and without its `?`, or nil when there is none.
        public let query: String?
        /// The header fields, in the order received; names as written, values without outer white space.
        public let headers: [(name: String, value: String)]
        /// The content, chunked coding removed.
        public let body: Data
        /// The server's port.
        public let port: UInt16

        init(
            method: String, target: String, headers: [(name: String, value: String)], body: Data, port: UInt16
        ) {
            self.method = method
            self.target = target
            (path, query) = Self.split(target)
            self.headers = headers
            self.body = body
            self.port = port
        }

        static func empty(port: UInt16) -> Request {
            Request(method: "", target: "", headers: [], body: Data(), port: port)
        }

        /// The first value of the header field `name`, whose case doesn't matter.
        public func header(_ name: String) -> String? {
            headers.first { $0.name.equalsIgnoringCase(name) }?.value
        }

        /// The query's names and values in order, percent-decoded. A `+` is a plus sign.
        public var queryItems: [(name: String, value: String)] {
            PercentCoding.items(query ?? "", plusIsSpace: false)
        }

        /// The names and values of an `application/x-www-form-urlencoded` body in order, decoded (a `+` is
        /// a space); empty when the `Content-Type` says anything else.
        public var formItems: [(name: String, value: String)] {
            let mediaType = (header("Content-Type") ?? "").prefix { $0 != ";" && $0 != " " }
            guard mediaType.equalsIgnoringCase("application/x-www-form-urlencoded") else { return [] }
            return PercentCoding.items(String(decoding: body, as: UTF8.self), plusIsSpace: true)
        }

        /// RFC 9112 section 3.2: a target is a path and query, an absolute URL, or `*`.
        private static func split(_ target: String) -> (path: String, query: String?) {
            let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            let query = parts.count > 1 ? String(parts[1]) : nil
            var path = parts.first ?? ""
            if !path.hasPrefix("/"), let authority = path.range(of: "://")?.upperBound {
                path = path[authority...].drop { $0 != "/" }
                if path.isEmpty { path = "/" }
            }
            return (String(path), query)
        }
    }
}

extension StringProtocol {
    /// Equality in which ASCII letters match whatever their case.
    func equalsIgnoringCase(_ other: some StringProtocol) -> Bool {
        utf8.elementsEqual(other.utf8) { left, right in
            left == right || (left ^ right == 0x20 && (0x61...0x7A).contains(left | 0x20))
        }
    }
}
