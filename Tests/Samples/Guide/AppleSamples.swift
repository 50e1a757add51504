#if canImport(Security)
    import Foundation
    import Swallow

    /// A service that talks to the server with this key only.
    func pinned() -> WebService {
        var tls = URLSessionDataSource.TLS()
        tls.pins = ["Z1BP6oBot1ny65aE67jtJKEOV+vwOpbmlxUAmKDBFgA="]
        let dataSource = URLSessionDataSource(tls: tls)
        let service = WebService(baseURLString: "https://api.example.com", dataSource: dataSource)
        return service
    }

    func throughProxy() -> URLSessionDataSource {
        let session = URLSessionConfiguration.default
        session.connectionProxyDictionary = [
            "HTTPSEnable": 1, "HTTPSProxy": "proxy.example.com", "HTTPSPort": 3128,
        ]
        return URLSessionDataSource(configuration: session)
    }

    #if canImport(UIKit) || canImport(AppKit)
        func logo(of service: WebService) async throws {
            let logo = try await service.GET("/logo").content(as: PlatformImage.self)
            let image = logo.image  // a UIImage or NSImage
            print(image)
        }
    #endif
#endif
