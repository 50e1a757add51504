#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
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
        /// The maximum time without a transferred byte, see `CurlPauses`. `nil` uses each request's own timeout.
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

    final class CurlOptions {
        private(set) var problem: String?
        let idleTimeout: UInt64?
        var maximumSize: Int { configuration.maximumResponseSize }
        var headLimits: CurlHeadBuffer.Limits {
            CurlHeadBuffer.Limits(
                size: configuration.maximumHeadSize, fields: configuration.maximumFieldCount)
        }
        private let configuration: EngineConfiguration
        /// Stored here, because libcurl holds only a pointer to the strings.
        private let resolve: CurlStrings?

        init(_ configuration: EngineConfiguration) {
            self.configuration = configuration
            idleTimeout = configuration.idleTimeout.map(CurlClock.nanoseconds)
            var entries = CurlStrings.Builder()
            for entry in configuration.resolve { entries.append(entry) }
            resolve = configuration.resolve.isEmpty ? nil : CurlStrings(entries)
        }

        func httpVersion(isSecure: Bool) -> Int {
            switch configuration.httpVersions {
            case .http1: 2
            case .http2: isSecure ? 4 : 2
            case .http2PriorKnowledge: 5
            }
        }

        var needsOwnConnections: Bool {
            if case .http2PriorKnowledge = configuration.httpVersions {
                CurlLibrary.breaksPriorKnowledge
            } else {
                false
            }
        }

        var waitsForMultiplexing: Bool {
            if case .http1 = configuration.httpVersions { false } else { true }
        }

        func apply(to easy: UnsafeMutableRawPointer) {
            _ = swallow_curl_set_long(easy, CurlOption.noSignal, 1)
            // Otherwise, ending a transfer during a name lookup could block the loop. The option exists since 7.87.
            _ = swallow_curl_set_long(easy, CurlOption.quickExit, 1)
            set("protocols", swallow_curl_set_long(easy, CurlOption.protocols, 3))
            _ = swallow_curl_set_long(easy, CurlOption.suppressConnectHeaders, 1)
            // With 120 KiB, a response of 2 MB takes a tenth less CPU time than with 64 KiB. With 256 KiB, a response
            // of 2 KB takes a tenth more, because malloc maps the buffer again each time.
            _ = swallow_curl_set_long(easy, CurlOption.bufferSize, 120 * 1024)
            set("the connect timeout", applyConnectTimeout(to: easy))
            if let time = configuration.keepAliveTime {
                _ = swallow_curl_set_long(easy, CurlOption.maximumIdleAge, Int(time.components.seconds))
            }
            if CurlContentDecoder.accepted == nil {
                set("content encodings", easy, CurlOption.acceptEncoding, "")
            }
            set("the user agent", easy, CurlOption.userAgent, userAgent)
            applyRoute(to: easy)
            applyTLS(to: easy)
        }

        func applyConnectTimeout(to easy: UnsafeMutableRawPointer) -> Int32 {
            let limit = CurlClock.nanoseconds(configuration.connectTimeout) / 1_000_000
            return swallow_curl_set_long(easy, CurlOption.connectTimeout, Int(max(1, limit)))
        }

        private var userAgent: String {
            configuration.userAgent ?? Self.standardUserAgent
        }

        private static let standardUserAgent =
            "\(ProcessInfo.processInfo.processName) libcurl/\(CurlLibrary.versionText)"

        private func applyRoute(to easy: UnsafeMutableRawPointer) {
            if let proxy = configuration.proxy {
                set("the proxy", easy, CurlOption.proxy, proxy)
                // Otherwise libcurl doesn't use the proxy for the hosts in the environment variable `no_proxy`.
                set("a proxy without exceptions", easy, CurlOption.noProxy, "")
            }
            if !configuration.dnsServers.isEmpty {
                let servers = configuration.dnsServers.joined(separator: ",")
                set("custom DNS servers", easy, CurlOption.dnsServers, servers)
            }
            if let resolve {
                set(
                    "fixed addresses of hosts",
                    swallow_curl_set_pointer(easy, CurlOption.resolve, resolve.list(from: 0)))
            }
            if let path = configuration.unixSocketPath {
                set("Unix-domain sockets", easy, CurlOption.unixSocketPath, path)
            }
        }

        private func applyTLS(to easy: UnsafeMutableRawPointer) {
            let tls = configuration.tls
            let verifies = tls.verifiesCertificates
            set(
                "the verification of certificates",
                swallow_curl_set_long(easy, CurlOption.verifyPeer, verifies ? 1 : 0))
            set(
                "the verification of certificates",
                swallow_curl_set_long(easy, CurlOption.verifyHost, verifies ? 2 : 0))
            let version = tls.requiresTLS13 ? 7 : 6
            set("the TLS version", swallow_curl_set_long(easy, CurlOption.sslVersion, version))
            if let file = tls.certificateAuthorityFile {
                set("certificate authorities", easy, CurlOption.caInfo, file)
                // Otherwise libcurl also trusts the certificates in the system's folder.
                _ = swallow_curl_set_pointer(easy, CurlOption.caPath, nil)
            }
            set("client certificates", easy, CurlOption.sslCertificate, tls.clientCertificateFile)
            set("client keys", easy, CurlOption.sslKey, tls.clientKeyFile)
            set("key passwords", easy, CurlOption.keyPassword, tls.clientKeyPassword)
            // By default, libcurl writes TLS keys to the file that this variable names.
            if !tls.logsKeys, getenv("SSLKEYLOGFILE") != nil {
                swallow_curl_log_no_keys(easy)
            }
            if !tls.pins.isEmpty {
                let keys = tls.pins.map { "sha256//\($0)" }.joined(separator: ";")
                set("pinned public keys", easy, CurlOption.pinnedPublicKey, keys)
            }
        }

        private func set(_ name: String, _ easy: UnsafeMutableRawPointer, _ option: Int32, _ value: String?) {
            if let value { set(name, value.withCString { swallow_curl_set_pointer(easy, option, $0) }) }
        }

        private func set(_ name: String, _ code: Int32) {
            guard code != 0 else { return }
            let reason = String(cString: swallow_curl_easy_error(code))
            problem = "libcurl \(CurlLibrary.versionText) doesn't support \(name): \(reason)"
        }
    }
#endif
