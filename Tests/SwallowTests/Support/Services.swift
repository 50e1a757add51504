import Foundation
import Swallow

extension WebService {
    /// A service over a data source of the test's; failures that nobody receives are ignored.
    static func test(_ dataSource: any SessionDataTaskDataSource) -> WebService {
        var service = WebService(baseURLString: "http://service.test", dataSource: dataSource)
        service.unhandledError = nil
        return service
    }
}

/// An error of the app's own.
struct AppError: Error, Equatable {
    var code = 1
}
