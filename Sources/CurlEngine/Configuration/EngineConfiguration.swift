#if os(Linux) && canImport(Glibc)
    import Foundation

    package struct EngineConfiguration: Sendable {
        package enum HTTPVersions: Sendable {
            case http1
            case http2
            case http2PriorKnowledge
        }

        package struct TLS: Sendable {
            package var verifiesCertificates = true
            package var certificateAuthorityFile: String?
            package var clientCertificateFile: String?
            package var clientKeyFile: String?
            package var clientKeyPassword: String?
            package var requiresTLS13 = false
            package var pins: [String] = []
            package var logsKeys = false

            package init() {}
        }

        package var connectTimeout = Duration.seconds(60)
        /// The maximum time without a transferred byte, except during pauses. `nil` uses each request's own timeout.
        package var idleTimeout: Duration?
        /// The maximum number of connections to one host. 0 means no limit, also for `connections`.
        package var connectionsPerHost = 64
        package var connections = 256
        package var httpVersions = HTTPVersions.http2
        package var tls = TLS()
        /// The proxy's URL. `nil` uses the environment's proxy, and an empty string uses no proxy.
        package var proxy: String?
        package var handlesCookies = true
        package var cookieFile: URL?
        package var cookiesNotSaved: (@Sendable (any Error) -> Void)?
        package var maximumResponseSize = Int.max
        package var maximumHeadSize = 256 * 1024
        package var maximumFieldCount = 1000
        package var keepAliveTime: Duration?
        package var dnsServers: [String] = []
        package var resolve: [String] = []
        package var unixSocketPath: String?
        package var userAgent: String?

        package init() {}
    }
#endif
