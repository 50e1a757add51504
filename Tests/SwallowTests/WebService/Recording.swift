import Foundation
import Swallow
import TestSupport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension WebService {
    /// A service at `base` that doesn't start its tasks.
    static func idle(_ base: String, _ dataSource: any SessionDataTaskDataSource = ManualDataSource())
        -> WebService
    {
        var service = WebService(baseURLString: base, dataSource: dataSource)
        service.unhandledError = nil
        service.startTasksImmediately = false
        return service
    }

    /// Returns the request that a data source receives for a path.
    func sent(_ path: Request.Path, _ method: Request.Method = .GET) throws(ServiceError) -> URLRequest {
        try request(method, path: path).request.urlRequest()
    }

    static func configures(
        _ pattern: URLPattern, methods: Set<Request.Method>? = nil, base: String, path: Request.Path,
        method: Request.Method = .GET
    ) -> Bool {
        var service = idle(base)
        service.configure(pattern, methods: methods) { $0.timeout = .seconds(1) }
        return service.request(method, path: path).request.timeout != nil
    }
}
