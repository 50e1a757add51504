#if os(Linux) && canImport(Glibc)
    import Foundation
    import FoundationNetworking
    import LoopbackServer
    import Swallow
    import TestSupport
    import Testing

    /// The nginx server that `.ci/tls` starts.
    enum Nginx {
        static let environment = ProcessInfo.processInfo.environment
        static let isThere = environment["SWALLOW_TLS_PORT"] != nil && CurlDataSource.isAvailable

        /// A data source that trusts the server's certificate.
        static func source(
            _ configure: (inout CurlDataSource.Configuration) -> Void = { _ in }
        ) -> CurlDataSource {
            var configuration = CurlDataSource.Configuration()
            configuration.tls.certificateAuthorityFile = file("ca.pem")
            configure(&configuration)
            return CurlDataSource(configuration: configuration)
        }

        static func service(_ port: String = "SWALLOW_TLS_PORT") -> WebService {
            .test(source(), base: base(port))
        }

        /// The path under which nginx forwards requests to a server of the test.
        static func path(to port: UInt16) -> Request.Path { Request.Path("/to/\(port)") }

        static func request(_ path: String, _ port: String = "SWALLOW_TLS_PORT", host: String = "localhost")
            throws -> URLRequest
        {
            URLRequest(url: try #require(URL(string: base(port, host: host) + path)))
        }

        static func file(_ name: String) -> String {
            (environment["SWALLOW_TLS_DIRECTORY"] ?? "") + "/" + name
        }

        private static func base(_ port: String, host: String = "localhost") -> String {
            "https://\(host):\(environment[port] ?? "")"
        }
    }
#endif
