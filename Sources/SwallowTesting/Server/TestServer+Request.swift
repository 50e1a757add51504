import Foundation
import Swallow

extension TestServer {
    /// A request that a ``TestServer`` received.
    public struct Request: Sendable {
        /// The method as received, for example `GET`. Empty if ``TestServer/request(_:)`` found no request.
        public let method: String
        /// The request target as received, which usually is the path and the query.
        public let target: String
        /// The path without the query, still percent-encoded.
        public let path: String
        /// The header fields in the order received.
        public let headers: Headers
        /// The bytes of the body, without the chunked coding. Empty if the request has no body.
        public let body: Data
        /// The number of the connection, from zero. Requests with the same number arrived on the same connection.
        public let connection: Int
        package let query: String?
        package let port: UInt16

        init(
            method: String = "", target: String = "", headers: Headers = [:], body: Data = Data(),
            connection: Int = 0, port: UInt16 = 0
        ) {
            (self.method, self.target, self.headers, self.body) = (method, target, headers, body)
            (self.connection, self.port) = (connection, port)
            (path, query) = Self.split(target)
        }

        /// The body, parsed as JSON. `.missing` if there was no body, or if it isn't JSON.
        public var json: JSON { (try? JSON(parsing: body)) ?? .missing }

        /// The body, decoded as UTF-8. Invalid bytes become U+FFFD.
        public var text: String { String(decoding: body, as: UTF8.self) }

        /// The value of a header field, or `nil` if it is missing. The case of the name doesn't matter.
        public subscript(_ name: Headers.Name) -> String? { headers[name] }

        /// Returns the decoded value of the first query item with a name. Empty without a value, `nil` without an item.
        public func query(_ name: String) -> String? {
            QueryItem.items(of: query ?? "").first { $0.name == name }.map { $0.value ?? "" }
        }

        /// Splits a target, which may be a path, an absolute URL or `*` (RFC 9112 §3.2).
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
    package func equalsIgnoringCase(_ other: some StringProtocol) -> Bool {
        utf8.elementsEqual(other.utf8) { left, right in
            left == right || (left ^ right == 0x20 && (0x61...0x7A).contains(left | 0x20))
        }
    }
}
