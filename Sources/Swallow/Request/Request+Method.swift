extension Request {
    /// An HTTP request method: any token of RFC 9110 §5.6.2, case-sensitive (RFC 9110 §9.1) but for `get`, `head`,
    /// `post`, `put`, `delete` and `options`, which become upper case (WHATWG Fetch §2.2.1) as in `URLRequest`.
    ///
    /// A method that is not a token ends its task with `.invalidRequest`; nothing is sent.
    public struct Method: RawRepresentable, Hashable, Sendable {
        /// The method as it stands in the request line.
        public let rawValue: String

        /// Makes a method from its name; RFC 9110 methods are upper case.
        public init(rawValue: String) {
            let name = rawValue.uppercased()
            let isNormalized = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"].contains(name)
            self.rawValue = isNormalized ? name : rawValue
        }

        /// Reads a representation (RFC 9110 §9.3.1). Parameters go into the query.
        public static let GET = Method(rawValue: "GET")
        /// Reads the head of a representation (RFC 9110 §9.3.2). Parameters go into the query.
        public static let HEAD = Method(rawValue: "HEAD")
        /// Asks the resource to process the body (RFC 9110 §9.3.3).
        public static let POST = Method(rawValue: "POST")
        /// Replaces the representation (RFC 9110 §9.3.4).
        public static let PUT = Method(rawValue: "PUT")
        /// Changes a part of the representation (RFC 5789).
        public static let PATCH = Method(rawValue: "PATCH")
        /// Removes the resource (RFC 9110 §9.3.5).
        public static let DELETE = Method(rawValue: "DELETE")
        /// Asks what the resource offers (RFC 9110 §9.3.7).
        public static let OPTIONS = Method(rawValue: "OPTIONS")

        /// Whether it asks for no change (RFC 9110 §9.2.1).
        var isSafe: Bool { HTTPSyntax.isSafe(rawValue) }

        /// Whether parameters travel in the query, and a body is refused.
        var sendsParametersInQuery: Bool { self == .GET || self == .HEAD }
    }
}

extension Request.Method: ExpressibleByStringLiteral, CustomStringConvertible {
    /// Makes a method from a literal, such as `"PROPFIND"`.
    public init(stringLiteral value: String) {
        self.init(rawValue: value)
    }

    /// The method as it stands in the request line.
    public var description: String { rawValue }
}
