#if os(Linux) && canImport(Glibc)
    import Foundation

    extension CurlDataSource {
        /// A cookie as a ``CurlDataSource`` keeps it (RFC 6265 §5.3).
        public struct Cookie: Sendable, Hashable {
            /// The name, case-sensitive.
            public var name: String
            /// The value, as it is sent.
            public var value: String
            /// The host that gets it, in lower case and without a dot in front.
            public var domain: String
            /// Whether hosts within the domain get it, too.
            public var includesSubdomains: Bool
            /// The path under which it is sent.
            public var path: String
            /// Whether it is sent over TLS only (and to this machine).
            public var isSecure: Bool
            /// Whether scripts in a web page must not see it.
            public var isHTTPOnly: Bool
            /// When it expires, to the second; nil for one that ends with the data source.
            public var expires: Date?

            /// Makes a cookie, by default for one host, all its paths, and TLS only.
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
