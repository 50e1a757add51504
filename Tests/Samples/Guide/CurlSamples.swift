import Foundation
import Swallow
import Testing

#if os(Linux) && canImport(Glibc)
    @Suite("The guide's transport of its own")
    struct CurlSamples {
        @Test("is configured before it is made")
        func configuration() {
            var configuration = CurlDataSource.Configuration()
            configuration.totalTimeout = .seconds(30)
            configuration.maximumResponseSize = 10_000_000
            configuration.tls.pins = ["Z1BP6oBot1ny65aE67jtJKEOV+vwOpbmlxUAmKDBFgA="]
            let dataSource = CurlDataSource(configuration: configuration)
            let service = WebService(baseURLString: "https://api.example.com", dataSource: dataSource)
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
            configuration.tls.certificateAuthorityFile = "/etc/ssl/own-ca.pem"
            configuration.tls.minimumVersion = .tls13
            configuration.proxy = .url("http://proxy.example.com:3128")
        }
    }
#endif
