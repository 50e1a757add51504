import Foundation

extension ServiceTask {
    /// A handler of failures on the main actor, for your own handler methods.
    public typealias ErrorHandler = @MainActor (ServiceError) -> Void

    /// Calls a handler on the main actor with the chain's failure. Every `responseError` that follows receives it as
    /// well.
    @discardableResult
    public func responseError(_ handler: @escaping ErrorHandler) -> Self {
        responseError(.mainActor) { error in MainActor.assumeIsolated { handler(error) } }
    }

    /// Calls a handler on a queue with the chain's failure. Every `responseError` that follows receives it as well.
    @discardableResult
    public func responseError(
        _ queue: DispatchQueue, _ handler: @escaping @Sendable (ServiceError) -> Void
    ) -> Self {
        attach(
            HandlerLink(queue, .bytes, onSuccess: nil) { error in
                handler(error)
                return nil
            })
    }

    /// Returns the chain to success after a failure. The handlers that follow read the value that a closure returns.
    ///
    /// ```swift
    /// service.searchStores(zipCode: "15217")
    ///     .recover { error in
    ///         guard error.isNotFound else { throw error }
    ///         return [Store]()
    ///     }
    ///     .responseDecoded { (stores: [Store]) in self.stores = stores }
    /// ```
    ///
    /// A handler or an `await` that requests the value's type receives the value unchanged. ``responseContent(as:_:)``
    /// and ``content(as:)`` fail for any other type. All others read the value as if it were the body of a response
    /// with status 200:
    ///
    /// - `Data` and `String` are the body itself. A closure that returns nothing makes an empty body.
    /// - ``JSON`` and every other `Encodable` value are a body of JSON, encoded as the service's
    ///   ``WebService/Configuration/jsonEncoding`` specifies.
    /// - If the value isn't `Encodable`, these handlers fail the chain with `.contentMismatch`.
    ///
    /// To add header fields, return an ``Entity`` with the value. The closure runs on a background queue. An error that
    /// it throws replaces the failure.
    @discardableResult
    public func recover<Value: Sendable>(
        _ handler: @escaping @Sendable (ServiceError) throws -> Value
    ) -> Self {
        recover(.userInitiated, handler)
    }

    /// Returns the chain to success after a failure. The handlers that follow read the value that a closure on a queue
    /// returns, as they do after ``recover(_:)``. An error that the closure throws replaces the failure.
    @discardableResult
    public func recover<Value: Sendable>(
        _ queue: DispatchQueue, _ handler: @escaping @Sendable (ServiceError) throws -> Value
    ) -> Self {
        attach(HandlerLink(queue, .bytes, onSuccess: nil) { error in Entity(recovered: try handler(error)) })
    }

    /// Calls a handler on the main actor with the task's outcome, after a success and after a failure.
    @discardableResult
    public func responseCompleted(
        _ handler: @escaping @MainActor (Result<Entity<any Sendable>, ServiceError>) -> Void
    ) -> Self {
        responseCompleted(.mainActor) { result in MainActor.assumeIsolated { handler(result) } }
    }

    /// Calls a handler on a queue with the task's outcome, after a success and after a failure.
    @discardableResult
    public func responseCompleted(
        _ queue: DispatchQueue,
        _ handler: @escaping @Sendable (Result<Entity<any Sendable>, ServiceError>) -> Void
    ) -> Self {
        attach(
            HandlerLink(
                queue, .entity,
                onSuccess: { adapter in
                    handler(.success(try adapter.entity()))
                    return nil
                },
                onFailure: { error in
                    handler(.failure(error))
                    return nil
                }))
    }
}
