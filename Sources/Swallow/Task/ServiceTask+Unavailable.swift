import Dispatch

/// Common misspellings of ``responseDecoded(with:_:)`` and ``decoded(with:)``. Each names the right spelling.
extension ServiceTask {
    /// Unavailable: a decoding goes by `with:`.
    @available(*, unavailable, message: "Write with: for a Decoding; as: takes a Decodable type.")
    @_disfavoredOverload @discardableResult
    public func responseDecoded<Value: Sendable>(
        as decoding: Decoding<Value>, _ handler: @escaping Handler<Value>
    ) -> Self {
        responseDecoded(with: decoding, handler)
    }

    /// Unavailable: a decoding goes by `with:`.
    @available(*, unavailable, message: "Write with: for a Decoding; as: takes a Decodable type.")
    @_disfavoredOverload @discardableResult
    public func responseDecoded<Value: Sendable>(
        _ queue: DispatchQueue, as decoding: Decoding<Value>, _ handler: @escaping QueueHandler<Value>
    ) -> Self {
        responseDecoded(queue, with: decoding, handler)
    }

    /// Unavailable: a decoding goes by `with:`.
    @available(*, unavailable, message: "Write with: for a Decoding; as: takes a Decodable type.")
    @_disfavoredOverload
    public func decoded<Value: Sendable>(
        as decoding: Decoding<Value>
    ) async throws(ServiceError) -> Value {
        try await decoded(with: decoding)
    }
}
