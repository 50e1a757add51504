#if os(Linux) && canImport(Glibc)
    import Foundation

    /// The settings of an event loop's connections, and the limits of responses.
    package struct EngineConfiguration: Sendable {
        package enum HTTPVersions: Sendable {
            case http1
            /// HTTP/2 over TLS if the server chooses it, otherwise HTTP/1.1.
            case http2
            /// HTTP/2 from the first byte, even without TLS.
            case http2PriorKnowledge
        }

        package struct TLS: Sendable {
            package var verifiesCertificates = true
            package var certificateAuthorityFile: String?
            package var clientCertificateFile: String?
            package var clientKeyFile: String?
            package var clientKeyPassword: String?
            package var requiresTLS13 = false
            /// The SHA-256 digests of the accepted public keys, in Base64. If the array is empty, any key is accepted.
            package var pins: [String] = []
            /// Whether the keys of connections are written to the file that `SSLKEYLOGFILE` names.
            package var logsKeys = false

            package init() {}
        }

        package var connectTimeout = Duration.seconds(60)
        /// The timeout of a request that transfers no byte. `nil` uses the request's own timeout.
        package var idleTimeout: Duration?
        /// 0 means no limit.
        package var connectionsPerHost = 64
        /// 0 means no limit.
        package var connections = 256
        package var httpVersions = HTTPVersions.http2
        package var tls = TLS()
        /// The proxy's URL. `nil` uses the environment's proxy, and an empty string uses no proxy.
        package var proxy: String?
        package var handlesCookies = true
        package var cookieFile: URL?
        /// Receives the first error of consecutive failed writes of the cookie file.
        package var cookiesNotSaved: (@Sendable (any Error) -> Void)?
        /// The largest body in memory, in bytes after decoding.
        package var maximumResponseSize = Int.max
        /// The largest head, in bytes.
        package var maximumHeadSize = 256 * 1024
        package var maximumFieldCount = 1000
        /// How long an idle connection stays open. `nil` uses libcurl's default.
        package var keepAliveTime: Duration?
        package var dnsServers: [String] = []
        /// Addresses of hosts, as `host:port:address`.
        package var resolve: [String] = []
        package var unixSocketPath: String?
        /// `nil` uses the process's name and libcurl's version.
        package var userAgent: String?

        package init() {}
    }
#endif
