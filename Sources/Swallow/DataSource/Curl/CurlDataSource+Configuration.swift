#if os(Linux) && canImport(Glibc)
    import Foundation
    import FoundationNetworking

    extension CurlDataSource {
        /// The settings of a ``CurlDataSource`` for connections, trust and limits.
        public struct Configuration: Sendable {
            /// The maximum time for connecting, including TLS. 60 s by default. If a request exceeds this or one of the
            /// next two timeouts, it fails with `URLError(.timedOut)`. With libcurl before 7.87, this timeout takes
            /// effect after the name lookup.
            public var connectTimeout: Duration = .seconds(60)
            /// The maximum time without a byte of the response. If it is `nil`, the default, the request's
            /// `timeoutInterval` applies. The time during which a task is suspended doesn't count.
            public var idleTimeout: Duration?
            /// The maximum time of a request from `resume()` to its last byte, including redirects and suspensions.
            /// `nil`, the default, means no limit.
            public var totalTimeout: Duration?

            /// The maximum number of simultaneous connections to one host. 64 by default, and 0 means no limit. Further
            /// requests wait.
            public var connectionsPerHost = 64
            /// The maximum number of all connections, including idle ones. 256 by default, and 0 means no limit.
            public var connections = 256

            /// The supported versions of HTTP. By default, HTTP/2 is used if a TLS server offers it.
            public var httpVersions = HTTPVersions.http2
            /// The trusted servers and the client's own certificate.
            public var tls = TLS()
            /// The proxy that connections use. By default, the environment determines it.
            public var proxy = Proxy.environment
            /// The place where cookies are stored. In memory by default.
            public var cookies = Cookies.inMemory
            /// The closure that receives the error if the data source can't write the cookies to their file
            /// automatically. It is called once, until a write succeeds again. It runs on a thread of the data source,
            /// which waits for it. The default writes one line to standard error in debug builds. `nil` ignores the
            /// error.
            public var cookiesNotSaved: (@Sendable (any Error) -> Void)? = Configuration.logUnsavedCookies
            /// The maximum size of a response's body in memory, in bytes after decompression. 256 MB by default, and
            /// `nil` means no limit. If a body is larger, the task fails with `URLError(.dataLengthExceedsMaximum)`
            /// while it receives the body.
            public var maximumResponseSize: Int? = 256 * 1024 * 1024
            /// The maximum size of a response's head in bytes, including informational responses. 256 KB by default. If
            /// a head is larger, the task fails with `URLError(.badServerResponse)`. libcurl itself limits a single
            /// field to 100 KB.
            public var maximumHeadSize = 256 * 1024
            /// The maximum number of fields in a response's head. 1000 by default. If a head has more fields, the task
            /// fails with `URLError(.badServerResponse)`.
            public var maximumFieldCount = 1000

            /// In whole seconds. `nil` is libcurl's default of 118 s. Tests set it for slow machines.
            package var keepAliveTime: Duration?

            /// The addresses of DNS servers that replace the system's servers. They require a libcurl with c-ares.
            /// Empty by default.
            public var dnsServers: [String] = []
            /// Fixed addresses of hosts that take precedence over DNS, as `host:port:address`. Empty by default.
            public var resolve: [String] = []
            /// The path of a Unix-domain socket to which all requests connect, whatever their host. `nil` by default.
            public var unixSocketPath: String?
            /// The `User-Agent` of requests that don't set this field. If it is `nil`, the default, the field contains
            /// the process's name and libcurl's version.
            public var userAgent: String?
            /// The policy that decides which redirects are followed. By default, up to 20 redirects are followed.
            public var redirectPolicy = RedirectPolicy.follow()

            /// Creates the default configuration.
            public init() {}

            private static func logUnsavedCookies(_ error: any Error) {
                #if DEBUG
                    let line = "Swallow: the cookies can't be saved: \(error)\n"
                    try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
                #endif
            }
        }

        /// The versions of HTTP that a ``CurlDataSource`` speaks.
        public enum HTTPVersions: Sendable {
            /// HTTP/1.1 only.
            case http1
            /// HTTP/2 over TLS, if the server chooses it (ALPN, RFC 7301). Otherwise HTTP/1.1.
            case http2
            /// HTTP/2 even without TLS, from the first byte (RFC 9113 §3.3). libcurl 7.88 can't send a second request
            /// over such connections, so each request has its own connection with that version.
            case http2PriorKnowledge
        }

        /// The minimum version of TLS.
        public enum TLSVersion: Sendable {
            /// TLS 1.2 (RFC 5246).
            case tls12
            /// TLS 1.3 (RFC 8446).
            case tls13
        }

        /// The trusted servers of a ``CurlDataSource``, and its own certificate.
        public struct TLS: Sendable {
            /// Whether certificates and their names are checked. `true` by default.
            public var verifiesCertificates = true
            /// The path of a PEM file with the trusted certificates. They replace the system's certificates.
            public var certificateAuthorityFile: String?
            /// The path of a PEM file with the client's certificate.
            public var clientCertificateFile: String?
            /// The path of a PEM file with the key of the client's certificate.
            public var clientKeyFile: String?
            /// The password of the client's key.
            public var clientKeyPassword: String?
            /// The minimum version of TLS. TLS 1.2 by default.
            public var minimumVersion = TLSVersion.tls12
            /// The pinned public keys. A server's key must be one of these keys. If there are no pins, the default, any
            /// key with a valid certificate is accepted.
            ///
            /// A pin is the SHA-256 digest of a key's SubjectPublicKeyInfo (RFC 5280 §4.1.2.7), in Base64. The prefix
            /// `sha256/` or `sha256//` is optional. Because a pin identifies the key, the certificate may be renewed
            /// while its key stays the same. Add the next key's pin before the server changes to that key.
            public var pins: [String] = []

            /// Whether the keys of connections are written to the file that the environment variable `SSLKEYLOGFILE`
            /// names, so that recorded traffic can be decrypted. `false` by default, even if the variable is set.
            public var logsKeys = false

            /// Creates the default, which checks certificates against the system's certificates.
            public init() {}
        }

        /// The proxy of a ``CurlDataSource``.
        public enum Proxy: Sendable {
            /// The proxy in `http_proxy`, in `https_proxy` or, for hosts that neither applies to, in `ALL_PROXY`. It
            /// isn't used for hosts in `no_proxy`. The names may be in upper case, except `http_proxy`.
            case environment
            /// A fixed proxy that ignores `no_proxy`. Examples are `http://host:port`, `https://…` and `socks5h://…`.
            /// The URL contains credentials if the proxy needs them.
            case url(String)
            /// No proxy, even if the environment names one.
            case none
        }
    }
#endif
