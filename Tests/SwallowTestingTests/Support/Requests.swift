import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension URLRequest {
    static func test(
        _ method: Request.Method = .GET, _ path: Request.Path = "/stores", options: [Request.Option] = []
    ) throws -> URLRequest {
        try Request(method, baseURLString: "http://service.test", path: path, options: options).urlRequest()
    }
}

/// The error with which an operation on a service fails, or `nil` if it succeeds.
func failure<Value>(_ operation: () async throws(ServiceError) -> Value) async -> ServiceError? {
    do {
        _ = try await operation()
        return nil
    } catch {
        return error
    }
}
