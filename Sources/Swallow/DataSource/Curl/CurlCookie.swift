#if os(Linux) && canImport(Glibc)
    import Foundation

    extension CurlDataSource {
        /// A cookie that a ``CurlDataSource`` stores (RFC 6265 §5.3).
        public struct Cookie: Sendable, Hashable {
            /// The name. Its case matters.
            public var name: String
            /// The value, which is sent unchanged.
            public var value: String
            /// The host that receives the cookie, in lower case and without a leading dot.
            public var domain: String
            /// Whether hosts within the domain also receive the cookie.
            public var includesSubdomains: Bool
            /// The path. The cookie is sent for this path and all paths below it.
            public var path: String
            /// Whether the cookie is only sent over TLS, or to the local machine.
            public var isSecure: Bool
            /// Whether scripts in a web page can't read the cookie. Swallow only stores this value.
            public var isHTTPOnly: Bool
            /// The expiry date, to the second. If it is `nil`, the cookie expires when the data source is released.
            public var expires: Date?

            /// Creates a cookie. By default, it is sent to one host, for all its paths, and only over TLS.
            public init(
                name: String, value: String, domain: String, includesSubdomains: Bool = false,
                path: String = "/", isSecure: Bool = true, isHTTPOnly: Bool = false, expires: Date? = nil
            ) {
                self.name = name
                self.value = value
                self.domain = domain.hasPrefix(".") ? String(domain.dropFirst()) : domain
                self.includesSubdomains = includesSubdomains
                self.path = path
                self.isSecure = isSecure
                self.isHTTPOnly = isHTTPOnly
                self.expires = expires
            }
        }
    }
#endif
