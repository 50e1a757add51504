extension Request {
    /// An HTTP request method. If it isn't a token (RFC 9110 §5.6.2), the task fails with `.invalidRequest`. Names are
    /// case-sensitive, but `get`, `head`, `post`, `put`, `delete` and `options` become upper case (Fetch §2.2.1).
    public struct Method: RawRepresentable, Hashable, Sendable {
        /// The method as it appears in the request line.
        public let rawValue: String

        /// Creates a method from its name, such as `"GET"`.
        public init(rawValue: String) {
            let name = rawValue.uppercased()
            let isNormalized = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"].contains(name)
            self.rawValue = isNormalized ? name : rawValue
        }

        /// Reads a representation (RFC 9110 §9.3.1). Parameters are sent in the query.
        public static let GET = Method(rawValue: "GET")
        /// Reads the head of a representation (RFC 9110 §9.3.2). Parameters are sent in the query.
        public static let HEAD = Method(rawValue: "HEAD")
        /// Sends a body for the resource to process (RFC 9110 §9.3.3).
        public static let POST = Method(rawValue: "POST")
        /// Replaces the representation (RFC 9110 §9.3.4).
        public static let PUT = Method(rawValue: "PUT")
        /// Changes a part of the representation (RFC 5789).
        public static let PATCH = Method(rawValue: "PATCH")
        /// Removes the resource (RFC 9110 §9.3.5).
        public static let DELETE = Method(rawValue: "DELETE")
        /// Requests the communication options of the resource (RFC 9110 §9.3.7).
        public static let OPTIONS = Method(rawValue: "OPTIONS")

        /// Whether the method is GET, HEAD, OPTIONS or TRACE, which request no change (RFC 9110 §9.2.1).
        public var isSafe: Bool { HTTPSyntax.isSafe(rawValue) }

        var sendsParametersInQuery: Bool { self == .GET || self == .HEAD }
    }
}

extension Request.Method: ExpressibleByStringLiteral, CustomStringConvertible {
    /// Creates a method from a literal, such as `"PROPFIND"`.
    public init(stringLiteral value: String) {
        self.init(rawValue: value)
    }

    /// The method as it appears in the request line.
    public var description: String { rawValue }
}
