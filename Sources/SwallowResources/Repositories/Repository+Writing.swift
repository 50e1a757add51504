import Swallow

extension Repository {
    /// Sends a value and reads the response. If a success has an empty body, the future succeeds with the sent value.
    func write<Value: Sendable>(
        _ value: Value, _ method: Request.Method, at path: Request.Path, reading decoding: Decoding<Value>,
        body: @escaping @Sendable () throws -> Request.Option
    ) -> ServiceFuture<Value> {
        service.future(of: JSON.self) { service in
            service.request(method, path: path, options: [try body()])
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
