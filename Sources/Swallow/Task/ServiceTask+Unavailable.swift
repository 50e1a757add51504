import Foundation

extension ServiceTask {
    /// Unavailable. A decoding has the label `with`.
    @available(*, unavailable, message: "Write with: for a Decoding, and as: for a Decodable type.")
    @_disfavoredOverload @discardableResult
    public func responseDecoded<Value: Sendable>(
        as decoding: Decoding<Value>, _ handler: @escaping Handler<Value>
    ) -> Self {
        responseDecoded(with: decoding, handler)
    }

    /// Unavailable. A decoding has the label `with`.
    @available(*, unavailable, message: "Write with: for a Decoding, and as: for a Decodable type.")
    @_disfavoredOverload @discardableResult
    public func responseDecoded<Value: Sendable>(
        _ queue: DispatchQueue, as decoding: Decoding<Value>, _ handler: @escaping QueueHandler<Value>
    ) -> Self {
        responseDecoded(queue, with: decoding, handler)
    }

    /// Unavailable. A decoding has the label `with`.
    @available(*, unavailable, message: "Write with: for a Decoding, and as: for a Decodable type.")
    @_disfavoredOverload
    public func decoded<Value: Sendable>(
        as decoding: Decoding<Value>
    ) async throws(ServiceError) -> Value {
        try await decoded(with: decoding)
    }

    /// Unavailable. A type has the label `as`.
    @available(*, unavailable, message: "Write responseDecoded(as: [Store].self) { stores in … }.")
    @_disfavoredOverload @discardableResult
    public func responseDecoded<Value: Sendable>(
        _ type: Value.Type, _ handler: @escaping Handler<Value>
    ) -> Self { self }

    /// Unavailable. A type has the label `as`.
    @available(*, unavailable, message: "Write responseDecoded(queue, as: [Store].self) { stores in … }.")
    @_disfavoredOverload @discardableResult
    public func responseDecoded<Value: Sendable>(
        _ queue: DispatchQueue, _ type: Value.Type, _ handler: @escaping QueueHandler<Value>
    ) -> Self { self }

    /// Unavailable. A type has the label `as`.
    @available(*, unavailable, message: "Write decoded(as: [Store].self).")
    @_disfavoredOverload
    public func decoded<Value: Decodable & Sendable>(
        _ type: Value.Type
    ) async throws(ServiceError) -> Value {
        try await decoded(as: type)
    }
}

extension ServiceTask {
    /// Unavailable. The handler receives a value and not a `Result`.
    @available(
        *, unavailable, message: "This handler receives only a success. For failures, write responseError."
    )
    @_disfavoredOverload @discardableResult
    public func responseDecoded<Value: Sendable>(
        as type: Value.Type, _ handler: @escaping Handler<Result<Value, ServiceError>>
    ) -> Self { self }

    /// Unavailable. The handler receives a value and not a `Result`.
    @available(
        *, unavailable, message: "This handler receives only a success. For failures, write responseError."
    )
    @_disfavoredOverload @discardableResult
    public func responseDecoded<Value: Sendable, Failure: Error>(
        _ handler: @escaping Handler<Result<Value, Failure>>
    ) -> Self { self }

    /// Unavailable. The handler receives a value and not a `Result`.
    @available(
        *, unavailable, message: "This handler receives only a success. For failures, write responseError."
    )
    @_disfavoredOverload @discardableResult
    public func responseJSON(_ handler: @escaping Handler<Result<JSON, ServiceError>>) -> Self { self }

    /// Unavailable. The handler receives a value and not a `Result`.
    @available(
        *, unavailable, message: "This handler receives only a success. For failures, write responseError."
    )
    @_disfavoredOverload @discardableResult
    public func responseText(_ handler: @escaping Handler<Result<String, ServiceError>>) -> Self { self }

    /// Unavailable. The handler receives a value and not a `Result`.
    @available(
        *, unavailable, message: "This handler receives only a success. For failures, write responseError."
    )
    @_disfavoredOverload @discardableResult
    public func responseContent<Content: Sendable>(
        as type: Content.Type, _ handler: @escaping Handler<Result<Content, ServiceError>>
    ) -> Self { self }

    /// Unavailable. A handler receives the head and the bytes.
    @available(
        *, unavailable,
        message:
            "Write response { head, data in … }, which receives only a success. For failures, write responseError."
    )
    @_disfavoredOverload @discardableResult
    public func response(_ handler: @escaping Handler<Result<Data, ServiceError>>) -> Self { self }
}
