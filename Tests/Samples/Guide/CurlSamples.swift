import Foundation
import Swallow
import Testing

#if os(Linux) && canImport(Glibc)
    extension WebService {
        static let docker: WebService = {
            var configuration = CurlDataSource.Configuration()
            configuration.unixSocketPath = "/var/run/docker.sock"
            let dataSource = CurlDataSource(configuration: configuration)
            return WebService(baseURLString: "http://docker", dataSource: dataSource)
        }()
    }

    @Suite("The guide's transport of its own")
    struct CurlSamples {
        @Test("has limits")
        func limits() {
            var configuration = CurlDataSource.Configuration()
            configuration.totalTimeout = .seconds(30)
            configuration.maximumResponseSize = 10_000_000
            let dataSource = CurlDataSource(configuration: configuration)
            let service = WebService(baseURLString: "https://api.example.com", dataSource: dataSource)
            #expect(service.dataSource is CurlDataSource)
        }

        @Test("pins keys")
        func pins() {
            let service = pinned(
                "https://api.example.com", to: ["Z1BP6oBot1ny65aE67jtJKEOV+vwOpbmlxUAmKDBFgA="])
            #expect(service.dataSource is CurlDataSource)
        }

        @Test("goes through a proxy")
        func proxies() {
            var configuration = CurlDataSource.Configuration()
            configuration.proxy = .url("http://ann:secret@proxy.example.com:3128")
            let dataSource = CurlDataSource(configuration: configuration)
            let service = WebService(baseURLString: "https://api.example.com", dataSource: dataSource)
            #expect(service.dataSource is CurlDataSource)
        }

        @Test("proves itself")
        func certificates() {
            let password = "secret"
            var configuration = CurlDataSource.Configuration()
            configuration.tls.certificateAuthorityFile = "/etc/ssl/own-ca.pem"
            configuration.tls.clientCertificateFile = "/etc/ssl/client.pem"
            configuration.tls.clientKeyFile = "/etc/ssl/client-key.pem"
            configuration.tls.clientKeyPassword = password
            configuration.tls.minimumVersion = .tls13
            let dataSource = CurlDataSource(configuration: configuration)
            let service = WebService(baseURLString: "https://internal.example.com", dataSource: dataSource)
            #expect(service.dataSource is CurlDataSource)
        }

        @Test("trusts a development server")
        func development() {
            var configuration = CurlDataSource.Configuration()
            configuration.tls.certificateAuthorityFile = "/home/ann/dev/certificate.pem"
            let dataSource = CurlDataSource(configuration: configuration)
            let local = WebService(baseURLString: "https://localhost:8443", dataSource: dataSource)
            #expect(local.dataSource is CurlDataSource)
        }

        @Test("goes through a socket of the machine's")
        func docker() async {
            func ask() async throws -> String? {
                let version = try await WebService.docker.GET("/version").json["Version"].string
                return version
            }
            if FileManager.default.fileExists(atPath: "/var/run/docker.sock") { return }
            await #expect(throws: ServiceError.self) { try await ask() }
        }

        @Test("speaks HTTP/2 without TLS")
        func priorKnowledge() {
            var configuration = CurlDataSource.Configuration()
            configuration.httpVersions = .http2PriorKnowledge
            let dataSource = CurlDataSource(configuration: configuration)
            let service = WebService(baseURLString: "http://127.0.0.1:8080", dataSource: dataSource)
            #expect(service.dataSource is CurlDataSource)
        }

        @Test("ends in peace")
        func end() async {
            let dataSource = CurlDataSource()
            await dataSource.shutDown(within: .seconds(20))
            await #expect(throws: ServiceError.self) {
                try await WebService(baseURLString: "http://127.0.0.1:1", dataSource: dataSource).GET("/")
                    .data
            }
        }

        @Test("keeps cookies where it is told")
        func cookies() async throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "swallow-\(UUID())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            var configuration = CurlDataSource.Configuration()
            configuration.cookies = .file(folder.appending(path: "cookies.txt"))
            let dataSource = CurlDataSource(configuration: configuration)
            try dataSource.setCookie(.init(name: "theme", value: "dark", domain: "example.com"))
            print(await dataSource.cookies.map(\.name))
            dataSource.removeCookies { $0.domain == "example.com" }
            #expect(await dataSource.cookies.isEmpty)
        }
    }
#endif
