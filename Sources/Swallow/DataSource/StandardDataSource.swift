import Foundation

/// The data source of services that are created without one.
enum StandardDataSource {
    static let shared: any SessionDataTaskDataSource = {
        #if os(Linux) && canImport(Glibc)
            let name = ProcessInfo.processInfo.environment["SWALLOW_TRANSPORT"]
            if CurlDataSource.isAvailable, name?.lowercased() != "urlsession" { return CurlDataSource() }
        #endif
        return URLSessionDataSource()
    }()
}
