import Foundation
import Swallow

extension WebService {
    /// Creates a service with the test's data source. Unhandled failures are ignored.
    public static func test(
        _ dataSource: any SessionDataTaskDataSource, base: String = "http://service.test"
    ) -> WebService {
        var service = WebService(baseURLString: base, dataSource: dataSource)
        service.unhandledError = nil
        return service
    }
}

extension TransferContext {
    package static func with<Result>(clock: any ServiceClock, _ body: () -> Result) -> Result {
        var context = current
        context.clock = clock
        return $current.withValue(context, operation: body)
    }
}

package struct AppError: Error, Equatable {
    package let code: Int

    package init(code: Int = 1) {
        self.code = code
    }
}

#if os(Linux) && canImport(Glibc)
    extension CurlDataSource {
        /// Creates a data source that keeps its connections open, however long a test is delayed on a busy
        /// machine.
        package static func keepingConnections() -> CurlDataSource {
            var configuration = Configuration()
            configuration.keepAliveTime = .seconds(1_000_000)
            return CurlDataSource(configuration: configuration)
        }
    }
#endif
