extension Repository {
    /// Sends a body, and reads the answer; an empty answer gives the value that was sent.
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
    /// Reads the body by a decoding; an empty body gives the value that was sent.
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
