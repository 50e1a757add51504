import Swallow
import Testing

#if os(Linux) && canImport(Glibc)
    @Suite("The README's transport of its own")
    struct CurlSamples {
        @Test("is configured before it is made")
        func configuration() {
            var configuration = CurlDataSource.Configuration()
            configuration.totalTimeout = .seconds(30)
            configuration.maximumResponseSize = 10_000_000
            configuration.tls.pinnedPublicKeys = ["Z1BP6oBot1ny65aE67jtJKEOV+vwOpbmlxUAmKDBFgA="]
            let dataSource = CurlDataSource(configuration: configuration)
            let service = WebService(baseURLString: "https://api.example.com", dataSource: dataSource)
            #expect(service.dataSource is CurlDataSource)
        }
    }
#endif
