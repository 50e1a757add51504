#if canImport(Security)
    import Foundation
    import Security
    import Swallow

    func sessions() -> [WebService] {
        let session = URLSessionConfiguration.default
        session.httpMaximumConnectionsPerHost = 2
        session.httpCookieStorage = nil
        let dataSource = URLSessionDataSource(configuration: session)
        let service = WebService(baseURLString: "https://api.example.com", dataSource: dataSource)
        return [service]
    }

    func throughProxy() -> URLSessionDataSource {
        let session = URLSessionConfiguration.default
        session.connectionProxyDictionary = [
            "HTTPSEnable": 1, "HTTPSProxy": "proxy.example.com", "HTTPSPort": 3128,
        ]
        let dataSource = URLSessionDataSource(configuration: session)
        return dataSource
    }

    final class ProxyPassword: NSObject, URLSessionTaskDelegate {
        func urlSession(
            _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
            completionHandler:
                @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            let isFirst = challenge.protectionSpace.isProxy() && challenge.previousFailureCount == 0
            guard isFirst else { return completionHandler(.performDefaultHandling, nil) }
            let credential = URLCredential(user: "ann", password: "secret", persistence: .forSession)
            completionHandler(.useCredential, credential)
        }
    }

    func throughProxyWithPassword(_ session: URLSessionConfiguration) -> WebService {
        let own = URLSession(configuration: session, delegate: ProxyPassword(), delegateQueue: nil)
        let service = WebService(baseURLString: "https://api.example.com", dataSource: own)
        return service
    }

    func authenticated(by identity: SecIdentity) -> WebService {
        var tls = URLSessionDataSource.TLS()
        tls.clientIdentity = identity
        return WebService(
            baseURLString: "https://api.example.com", dataSource: URLSessionDataSource(tls: tls))
    }

    func cookies() {
        let storage = HTTPCookieStorage.shared
        let theme = HTTPCookie(properties: [
            .name: "theme", .value: "dark", .domain: "example.com", .path: "/",
        ])
        if let theme { storage.setCookie(theme) }
        print(storage.cookies?.map(\.name) ?? [])
        for cookie in storage.cookies ?? [] where cookie.domain == "example.com" {
            storage.deleteCookie(cookie)
        }
    }

    #if canImport(UIKit) || canImport(AppKit)
        func logo(of service: WebService) async throws {
            let logo = try await service.GET("/logo").content(as: PlatformImage.self)
            let image = logo.image  // a UIImage or NSImage
            print(image)
        }
    #endif
#endif
