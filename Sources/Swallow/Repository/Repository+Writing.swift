extension Repository {
    /// Sends a body and reads the response. If the response is empty, the future succeeds with the value that was sent.
    func write<Value: Sendable>(
        _ value: Value, _ method: Request.Method, at path: Request.Path, reading decoding: Decoding<Value>,
        body: @escaping @Sendable () throws -> Request.Option
    ) -> ServiceFuture<Value> {
        service.future { service in
            service.request(method, path: path, options: [try body()])
        } reading: { content in
            try content.decodedJSON(with: decoding, orIfEmpty: value)
        }
    }
}

extension PipelineAdapter {
    /// Returns the body, read by a decoding. Returns the value that was sent if the body is empty.
    fileprivate func decodedJSON<Value>(
        with decoding: Decoding<Value>, orIfEmpty sent: Value
    ) throws(ServiceError) -> Value {
        do throws(ServiceError) {
            return try decodedJSON(with: decoding)
        } catch {
            if error.reason == .emptyBody { return sent }
            throw error
        }
    }
}
