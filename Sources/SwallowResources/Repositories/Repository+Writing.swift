import Foundation
import Swallow

extension Repository {
    /// Sends a value and reads the response. If a success has an empty body, the future succeeds with the sent value.
    func write<Value: Sendable>(
        _ value: Value, _ method: Request.Method, at path: Request.Path, reading decoding: Decoding<Value>,
        encode: @escaping @Sendable () throws -> Data
    ) -> ServiceFuture<Value> {
        service.future(of: JSON.self) { service in
            do {
                let body = Request.Option.body(try encode(), contentType: "application/json")
                return service.request(method, path: path, options: [body])
            } catch {
                let detail = "\(Model.self) can't be encoded"
                throw ServiceError(.invalidRequest, detail: detail, underlying: error)
            }
        } reading: { content in
            do throws(ServiceError) {
                return try content.decoded(with: decoding)
            } catch {
                if error.reason == .emptyBody { return value }
                throw error
            }
        }
    }
}
