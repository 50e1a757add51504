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
