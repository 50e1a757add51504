extension Request {
    /// An HTTP request method. It is a token as RFC 9110 §5.6.2 defines it.
    ///
    /// Methods are case-sensitive (RFC 9110 §9.1). As in `URLRequest`, `get`, `head`, `post`, `put`, `delete` and
    /// `options` are converted to upper case (WHATWG Fetch §2.2.1).
    ///
    /// If a method isn't a token, the task fails with `.invalidRequest`, and nothing is sent.
    public struct Method: RawRepresentable, Hashable, Sendable {
        /// The method as it appears in the request line.
        public let rawValue: String

        /// Creates a method from its name. The methods of RFC 9110 are upper case.
        public init(rawValue: String) {
            let name = rawValue.uppercased()
            let isNormalized = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"].contains(name)
            self.rawValue = isNormalized ? name : rawValue
        }

        /// Reads a representation (RFC 9110 §9.3.1). Parameters are sent in the query.
        public static let GET = Method(rawValue: "GET")
        /// Reads the head of a representation (RFC 9110 §9.3.2). Parameters are sent in the query.
        public static let HEAD = Method(rawValue: "HEAD")
        /// Requests that the resource processes the body (RFC 9110 §9.3.3).
        public static let POST = Method(rawValue: "POST")
        /// Replaces the representation (RFC 9110 §9.3.4).
        public static let PUT = Method(rawValue: "PUT")
        /// Changes a part of the representation (RFC 5789).
        public static let PATCH = Method(rawValue: "PATCH")
        /// Removes the resource (RFC 9110 §9.3.5).
        public static let DELETE = Method(rawValue: "DELETE")
        /// Requests the communication options of the resource (RFC 9110 §9.3.7).
        public static let OPTIONS = Method(rawValue: "OPTIONS")

        /// Whether the method requests no change (RFC 9110 §9.2.1).
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
