import Foundation

extension ServiceTask {
    /// A handler of failures on the main actor, for handler methods of an app's own.
    public typealias ErrorHandler = @MainActor (ServiceError) -> Void

    /// Hands the chain's failure to a handler on the main actor; every `responseError` that follows gets it too.
    @discardableResult
    public func responseError(_ handler: @escaping ErrorHandler) -> Self {
        responseError(.mainActor) { error in MainActor.assumeIsolated { handler(error) } }
    }

    /// Hands the chain's failure to a handler on a queue; every `responseError` that follows gets it too.
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
    /// A handler or an `await` that requests the value's type receives the value unchanged. ``responseContent(as:_:)`` and
    /// ``content(as:)`` fail for any other type. All others read the value as if it were the body of a response with
    /// status 200:
    ///
    /// - `Data` and `String` are the body itself. A closure that returns nothing makes an empty body.
    /// - ``JSON`` and every other `Encodable` value are a body of JSON, encoded as the service's
    ///   ``Configuration/jsonEncoding`` specifies.
    /// - If the value isn't `Encodable`, these handlers fail the chain with `.contentMismatch`.
    ///
    /// To add header fields, return an ``Entity`` with the value. The closure runs on a background queue. An error that it
    /// throws replaces the failure.
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

    /// Hands the task's outcome to a handler on the main actor, after a success as after a failure.
    @discardableResult
    public func responseCompleted(
        _ handler: @escaping @MainActor (Result<Entity<any Sendable>, ServiceError>) -> Void
    ) -> Self {
        responseCompleted(.mainActor) { result in MainActor.assumeIsolated { handler(result) } }
    }

    /// Hands the task's outcome to a handler on a queue, after a success as after a failure.
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
