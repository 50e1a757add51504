#if os(Linux) && canImport(Glibc)
    import Foundation
    import FoundationNetworking

    extension CurlDataSource {
        /// How a ``CurlDataSource`` connects, what it trusts and what it allows.
        public struct Configuration: Sendable {
            /// The most time that connecting may take, TLS included; 60 s by default. A request that exceeds this or
            /// one of the next two timeouts ends in `URLError(.timedOut)`. With libcurl before 7.87, this timeout
            /// takes effect after the lookup of the name.
            public var connectTimeout: Duration = .seconds(60)
            /// The most time that may pass without a byte of the response; nil, the default, goes by the request's
            /// `timeoutInterval`. The time that a task is suspended doesn't count.
            public var idleTimeout: Duration?
            /// The most that a request may take from `resume()` to its last byte, redirects and suspensions included;
            /// nil, the default, is no limit.
            public var totalTimeout: Duration?

            /// The most connections to one host at a time, 64 by default; further requests wait. 0 is no limit.
            public var connectionsPerHost = 64
            /// The most connections in all, those kept for reuse included, 256 by default. 0 is no limit.
            public var connections = 256

            /// The versions of HTTP to speak; HTTP/2 where a TLS server offers it by default.
            public var httpVersions = HTTPVersions.http2
            /// Which servers to trust, and the client's own certificate.
            public var tls = TLS()
            /// The proxy; the environment's by default.
            public var proxy = Proxy.environment
            /// Where cookies are kept; in memory by default.
            public var cookies = Cookies.inMemory
            /// Gets the error when the data source can't write the cookies to their file by itself: once, until it can
            /// again. Runs on a thread of the data source, which waits for it. The default writes one line to standard
            /// error in debug builds; nil ignores the error.
            public var cookiesNotSaved: (@Sendable (any Error) -> Void)? = Configuration.logUnsavedCookies
            /// The most bytes that a response's body may have in memory, unpacked; 256 MB by default, nil is no limit.
            /// One byte more ends in `URLError(.dataLengthExceedsMaximum)`, while receiving.
            public var maximumResponseSize: Int? = 256 * 1024 * 1024
            /// The most bytes that a response's head may have, informational responses included; 256 KB by default. One
            /// more ends in `URLError(.badServerResponse)`. libcurl itself stops at 100 KB for a single field.
            public var maximumHeadSize = 256 * 1024
            /// The most fields that a response's head may have, 1000 by default. One more ends in
            /// `URLError(.badServerResponse)`.
            public var maximumFieldCount = 1000

            /// How long an idle connection is kept for reuse, in whole seconds; nil is libcurl's default of 118 s. Tests set it,
            /// since a busy machine may let more than that pass between two requests.
            package var keepAliveTime: Duration?

            /// Addresses of DNS servers in place of the system's, with a libcurl that has c-ares; empty by default.
            public var dnsServers: [String] = []
            /// Addresses that hosts have whatever the DNS says, as `host:port:address`; empty by default.
            public var resolve: [String] = []
            /// The path of a Unix-domain socket to connect to, whatever the host; nil by default.
            public var unixSocketPath: String?
            /// The `User-Agent` of requests that have none of their own; nil, the default, is the process's name and
            /// libcurl's version.
            public var userAgent: String?
            /// How redirects are handled; up to 20 are followed by default.
            public var redirectPolicy = RedirectPolicy.follow()

            /// Makes the default configuration.
            public init() {}

            private static func logUnsavedCookies(_ error: any Error) {
                #if DEBUG
                    let line = "Swallow: cookies can't be saved: \(error)\n"
                    try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
                #endif
            }
        }

        /// The versions of HTTP that a ``CurlDataSource`` speaks.
        public enum HTTPVersions: Sendable {
            /// HTTP/1.1 only.
            case http1
            /// HTTP/2 over TLS, where the server chooses it (ALPN, RFC 7301); else HTTP/1.1.
            case http2
            /// HTTP/2 even without TLS, from the first byte (RFC 9113 §3.3). libcurl 7.88 can't send a second request over such a
            /// connection: with it, each has one of its own.
            case http2PriorKnowledge
        }

        /// The least version of TLS.
        public enum TLSVersion: Sendable {
            /// TLS 1.2 (RFC 5246).
            case tls12
            /// TLS 1.3 (RFC 8446).
            case tls13
        }

        /// Which servers a ``CurlDataSource`` trusts, and its own certificate.
        public struct TLS: Sendable {
            /// Whether certificates are checked, the name in them included; true by default.
            public var verifiesCertificates = true
            /// The path of a PEM file with the certificates to trust in place of the system's.
            public var certificateAuthorityFile: String?
            /// The path of a PEM file with the client's certificate.
            public var clientCertificateFile: String?
            /// The path of a PEM file with the key of the client's certificate.
            public var clientKeyFile: String?
            /// The password of that key.
            public var clientKeyPassword: String?
            /// TLS 1.2 by default.
            public var minimumVersion = TLSVersion.tls12
            /// Public keys, one of which a server must have; with none, the default, any key is accepted that its
            /// certificate vouches for.
            ///
            /// A pin is the SHA-256 digest, in Base64, of a key's SubjectPublicKeyInfo (RFC 5280 §4.1.2.7), with `sha256/` or
            /// `sha256//` before it or without, so that a certificate may be renewed while its key stays. Name the next key's, too,
            /// before the server changes to it.
            public var pins: [String] = []

            /// Whether the keys of connections are written to the file that the environment's `SSLKEYLOGFILE` names, so that
            /// a recording of the traffic can be read; false by default, whatever the environment says.
            public var logsKeys = false

            /// Makes the default: certificates are checked by those of the system.
            public init() {}
        }

        /// The proxy of a ``CurlDataSource``.
        public enum Proxy: Sendable {
            /// What `http_proxy`, `https_proxy` and, for hosts in neither, `ALL_PROXY` say, except for hosts in
            /// `no_proxy`. The names may be in upper case, but for `http_proxy`.
            case environment
            /// Always this one, whatever `no_proxy` says: `http://host:port`, `https://…`, `socks5h://…`, with
            /// credentials where it needs them.
            case url(String)
            /// None, whatever the environment says.
            case none
        }
    }
#endif
