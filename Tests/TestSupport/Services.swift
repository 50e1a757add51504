import Foundation
import Swallow

extension WebService {
    /// A service over the test's data source. Unhandled failures are ignored.
    package static func test(
        _ dataSource: any SessionDataTaskDataSource, base: String = "http://service.test"
    ) -> WebService {
        var service = WebService(baseURLString: base, dataSource: dataSource)
        service.unhandledError = nil
        return service
    }
}

/// An error of the app's own.
package struct AppError: Error, Equatable {
    package let code: Int

    package init(code: Int = 1) {
        self.code = code
    }
}

#if os(Linux) && canImport(Glibc)
    extension CurlDataSource {
        /// One that keeps its connections, however long a test stands still on a busy machine.
        package static func keepingConnections() -> CurlDataSource {
            var configuration = Configuration()
            configuration.keepAliveTime = .seconds(1_000_000)
            return CurlDataSource(configuration: configuration)
        }
    }
#endif
