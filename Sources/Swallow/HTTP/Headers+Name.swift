extension Headers {
    /// A header field's name. Names are compared without regard to case (RFC 9110 §5.1).
    public struct Name: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
        /// The name in its original spelling.
        public let rawValue: String

        /// Creates a name from text, for example from a variable.
        public init(_ rawValue: String) {
            self.rawValue = rawValue
        }

        /// Creates a name from a literal, such as `"X-Request-ID"`.
        public init(stringLiteral value: String) {
            self.init(value)
        }

        /// The name in its original spelling.
        public var description: String { rawValue }

        /// Compares two names without regard to case.
        public static func == (left: Self, right: Self) -> Bool {
            left.rawValue.utf8.count == right.rawValue.utf8.count
                && left.rawValue.utf8.elementsEqual(right.rawValue.utf8) { lowercased($0) == lowercased($1) }
        }

        /// Hashes the name without regard to case.
        public func hash(into hasher: inout Hasher) {
            // Combining eight bytes at once is faster than combining each byte.
            var (word, count) = (UInt64(0), 0)
            for byte in rawValue.utf8 {
                word = word &<< 8 | UInt64(Self.lowercased(byte))
                count += 1
                if count % 8 == 0 { hasher.combine(word) }
            }
            hasher.combine(word)
        }

        private static func lowercased(_ byte: UInt8) -> UInt8 {
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
        }
    }
}

extension Headers.Name {
    /// `Accept` (RFC 9110 §12.5.1).
    public static let accept: Self = "Accept"
    /// `Accept-Encoding` (RFC 9110 §12.5.3).
    public static let acceptEncoding: Self = "Accept-Encoding"
    /// `Accept-Language` (RFC 9110 §12.5.4).
    public static let acceptLanguage: Self = "Accept-Language"
    /// `Authorization` (RFC 9110 §11.6.2).
    public static let authorization: Self = "Authorization"
    /// `Cache-Control` (RFC 9111 §5.2).
    public static let cacheControl: Self = "Cache-Control"
    /// `Content-Encoding` (RFC 9110 §8.4).
    public static let contentEncoding: Self = "Content-Encoding"
    /// `Content-Language` (RFC 9110 §8.5).
    public static let contentLanguage: Self = "Content-Language"
    /// `Content-Length` (RFC 9110 §8.6).
    public static let contentLength: Self = "Content-Length"
    /// `Content-Type` (RFC 9110 §8.3).
    public static let contentType: Self = "Content-Type"
    /// `Cookie` (RFC 6265 §5.4).
    public static let cookie: Self = "Cookie"
    /// `Date` (RFC 9110 §6.6.1).
    public static let date: Self = "Date"
    /// `ETag` (RFC 9110 §8.8.3).
    public static let eTag: Self = "ETag"
    /// `Expires` (RFC 9111 §5.3).
    public static let expires: Self = "Expires"
    /// `Host` (RFC 9110 §7.2).
    public static let host: Self = "Host"
    /// `If-Match` (RFC 9110 §13.1.1).
    public static let ifMatch: Self = "If-Match"
    /// `If-Modified-Since` (RFC 9110 §13.1.3).
    public static let ifModifiedSince: Self = "If-Modified-Since"
    /// `If-None-Match` (RFC 9110 §13.1.2).
    public static let ifNoneMatch: Self = "If-None-Match"
    /// `Last-Modified` (RFC 9110 §8.8.2).
    public static let lastModified: Self = "Last-Modified"
    /// `Link` (RFC 8288 §3).
    public static let link: Self = "Link"
    /// `Location` (RFC 9110 §10.2.2).
    public static let location: Self = "Location"
    /// `Proxy-Authorization` (RFC 9110 §11.7.2).
    public static let proxyAuthorization: Self = "Proxy-Authorization"
    /// `Range` (RFC 9110 §14.2).
    public static let range: Self = "Range"
    /// `Retry-After` (RFC 9110 §10.2.3).
    public static let retryAfter: Self = "Retry-After"
    /// `Set-Cookie` (RFC 6265 §4.1).
    public static let setCookie: Self = "Set-Cookie"
    /// `User-Agent` (RFC 9110 §10.1.5).
    public static let userAgent: Self = "User-Agent"
    /// `Vary` (RFC 9110 §12.5.5).
    public static let vary: Self = "Vary"
    /// `WWW-Authenticate` (RFC 9110 §11.6.1).
    public static let wwwAuthenticate: Self = "WWW-Authenticate"
}
