#if os(Linux) && canImport(Glibc)
    internal import CurlEngine
    import Foundation
    import FoundationNetworking

    extension CurlDataSource {
        /// The settings of a ``CurlDataSource`` for connections, trust and limits.
        public struct Configuration: Sendable {
            /// The maximum time for connecting, including TLS. 60 s by default. Before libcurl 7.87, it doesn't end a
            /// name lookup. After this or the next two timeouts, a request fails with `URLError(.timedOut)`.
            public var connectTimeout: Duration = .seconds(60)
            /// The maximum time without a sent or received byte, except while the transfer waits for your app, for
            /// example during a suspension. `nil` uses the request's `timeoutInterval`. Open WebSockets have none.
            public var idleTimeout: Duration?
            /// The maximum time of an attempt with its redirects and suspensions. `nil`, the default, means no limit.
            public var totalTimeout: Duration?

            /// The maximum number of connections to one host. Requests that need a further connection wait. 64 by
            /// default, and 0 means no limit.
            public var connectionsPerHost = 64
            /// The maximum number of all connections, including idle ones. 256 by default, and 0 means no limit.
            public var connections = 256

            /// The supported versions of HTTP. By default, HTTP/2 is used if a server offers it over TLS.
            public var httpVersions = HTTPVersions.http2
            /// The settings for TLS, such as the trusted certificates and the client's own certificate.
            public var tls = TLS()
            /// The proxy that connections use. By default, the environment determines it.
            public var proxy = Proxy.environment
            /// The place where cookies are stored, by default in memory.
            public var cookies = Cookies.inMemory
            /// Receives the error if the data source can't write the cookies to their file automatically. After an
            /// error, it isn't called again until a write succeeds. It runs on any thread. The default writes a line to
            /// standard error in debug builds. `nil` ignores the error.
            public var cookiesNotSaved: (@Sendable (any Error) -> Void)? = Configuration.logUnsavedCookies
            /// The maximum size of a response's body in memory, in bytes after decompression. 256 MiB by default. `nil`
            /// means no limit. With a larger body, the request fails with `URLError(.dataLengthExceedsMaximum)`.
            public var maximumResponseSize: Int? = 256 * 1024 * 1024
            /// The maximum size of a response's head and trailers in bytes, including informational responses. 256 KiB
            /// by default. With a larger head, the request fails with `URLError(.badServerResponse)`. libcurl itself
            /// limits a field to 100 KiB.
            public var maximumHeadSize = 256 * 1024
            /// The maximum number of fields in a response's head and trailers. 1,000 by default. With more fields, the
            /// request fails with `URLError(.badServerResponse)`.
            public var maximumFieldCount = 1000

            /// The time in whole seconds for which idle connections can be reused. `nil` is libcurl's default of 118 s.
            package var keepAliveTime: Duration?

            /// The DNS servers that replace the system's servers. They require a libcurl with c-ares. Empty by default.
            public var dnsServers: [String] = []
            /// Fixed addresses of hosts that take precedence over DNS, as `host:port:address`. Empty by default.
            public var resolve: [String] = []
            /// The path of a Unix-domain socket to which all requests connect, whatever their host. `nil` by default.
            public var unixSocketPath: String?
            /// The `User-Agent` for requests without one. `nil`, the default, names the process and libcurl's version.
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
            /// HTTP/2 even without TLS (RFC 9113 §3.3). Without TLS, libcurl 7.88 needs one connection per request.
            case http2PriorKnowledge
        }

        /// The minimum version of TLS.
        public enum TLSVersion: Sendable {
            /// TLS 1.2 (RFC 5246).
            case tls12
            /// TLS 1.3 (RFC 8446).
            case tls13
        }

        /// The settings of a ``CurlDataSource`` for trusting servers, and for its own certificate.
        public struct TLS: Sendable {
            /// Whether the server's certificate and the name in it are checked. `true` by default.
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
            /// The pinned public keys. If this isn't empty, the server's key must be one of them. Empty by default.
            ///
            /// A pin is the SHA-256 digest of a key's SubjectPublicKeyInfo (RFC 5280 §4.1.2.7), in Base64. The prefix
            /// `sha256/` or `sha256//` is optional. Add the next key's pin before the server changes to that key.
            public var pins: [String] = []

            /// Whether the TLS keys are written to the file that the environment variable `SSLKEYLOGFILE` names. Tools
            /// can decrypt traffic with these keys. `false` by default. GnuTLS ignores this setting.
            public var logsKeys = false

            /// Creates the default settings, which check certificates with the system's trusted certificates.
            public init() {}
        }

        /// The proxy of a ``CurlDataSource``.
        public enum Proxy: Sendable {
            /// The proxy in the environment variable `http_proxy` or `https_proxy`, or otherwise in `all_proxy`, except
            /// for hosts in `no_proxy`. All names except `http_proxy` may be in upper case.
            case environment
            /// The proxy at a URL such as `socks5h://user:password@host:port`, for all hosts, even those in `no_proxy`.
            case url(String)
            /// No proxy, even if the environment names one.
            case none
        }
    }

    extension EngineConfiguration {
        init(_ configuration: CurlDataSource.Configuration) {
            self.init()
            connectTimeout = configuration.connectTimeout
            idleTimeout = configuration.idleTimeout
            connectionsPerHost = configuration.connectionsPerHost
            connections = configuration.connections
            httpVersions =
                switch configuration.httpVersions {
                case .http1: .http1
                case .http2: .http2
                case .http2PriorKnowledge: .http2PriorKnowledge
                }
            tls = TLS(configuration.tls)
            proxy =
                switch configuration.proxy {
                case .environment: nil
                case .url(let url): url
                case .none: ""
                }
            switch configuration.cookies {
            case .inMemory: break
            case .file(let url): cookieFile = url
            case .none: handlesCookies = false
            }
            cookiesNotSaved = configuration.cookiesNotSaved
            maximumResponseSize = configuration.maximumResponseSize ?? .max
            maximumHeadSize = configuration.maximumHeadSize
            maximumFieldCount = configuration.maximumFieldCount
            keepAliveTime = configuration.keepAliveTime
            dnsServers = configuration.dnsServers
            resolve = configuration.resolve
            unixSocketPath = configuration.unixSocketPath
            userAgent = configuration.userAgent
        }
    }

    extension EngineConfiguration.TLS {
        fileprivate init(_ tls: CurlDataSource.TLS) {
            self.init()
            verifiesCertificates = tls.verifiesCertificates
            certificateAuthorityFile = tls.certificateAuthorityFile
            clientCertificateFile = tls.clientCertificateFile
            clientKeyFile = tls.clientKeyFile
            clientKeyPassword = tls.clientKeyPassword
            requiresTLS13 = tls.minimumVersion == .tls13
            pins = TLSPins(tls.pins).digests
            logsKeys = tls.logsKeys
        }
    }
#endif
