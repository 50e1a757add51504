import Foundation
import Swallow

func pinned(_ baseURL: String, to pins: [String]) -> WebService {
    #if os(Linux) && canImport(Glibc)
        var configuration = CurlDataSource.Configuration()
        configuration.tls.pins = pins
        let dataSource = CurlDataSource(configuration: configuration)
    #else
        var tls = URLSessionDataSource.TLS()
        tls.pins = pins
        let dataSource = URLSessionDataSource(tls: tls)
    #endif
    return WebService(baseURLString: baseURL, dataSource: dataSource)
}
