import Foundation

extension ServiceTask {
    /// The type of a failure handler on the main actor. Use it to declare your own handler methods.
    public typealias ErrorHandler = @MainActor (ServiceError) -> Void

    /// Calls a handler on the main actor if the chain has failed. The failure remains for later handlers.
    @discardableResult
    public func responseError(_ handler: @escaping ErrorHandler) -> Self {
        responseError(.mainActor) { error in MainActor.assumeIsolated { handler(error) } }
    }

    /// Calls a handler on a queue if the chain has failed. The failure remains for later handlers.
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

    /// Returns the chain to success after a failure. Later handlers read the value that the closure returns.
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
    /// If a later handler or `await` reads the value's type, it receives the value unchanged. Handlers that read the
    /// body, such as ``responseJSON(_:)`` and ``responseDecoded(as:_:)``, read the value as the body of a response with
    /// status 200:
    ///
    /// - `Data` and `String` are the body itself. If the closure returns nothing, the body is empty.
    /// - ``JSON`` is written as it is. Every other `Encodable` value is encoded with
    ///   ``WebService/Configuration/jsonEncoding``. Any other value has no body, so reading it fails with
    ///   `.contentMismatch`.
    ///
    /// To add headers, return an ``Entity``. The closure runs off the main thread. Its error replaces the failure.
    @discardableResult
    public func recover<Value: Sendable>(
        _ handler: @escaping @Sendable (ServiceError) throws -> Value
    ) -> Self {
        recover(.userInitiated, handler)
    }

    /// Returns the chain to success after a failure, as ``recover(_:)`` does, with a closure on the given queue.
    @discardableResult
    public func recover<Value: Sendable>(
        _ queue: DispatchQueue, _ handler: @escaping @Sendable (ServiceError) throws -> Value
    ) -> Self {
        attach(HandlerLink(queue, .bytes, onSuccess: nil) { error in Entity(recovered: try handler(error)) })
    }

    /// Calls a handler on the main actor with the chain's outcome, whether the chain has succeeded or failed.
    @discardableResult
    public func responseCompleted(
        _ handler: @escaping @MainActor (Result<Entity<any Sendable>, ServiceError>) -> Void
    ) -> Self {
        responseCompleted(.mainActor) { result in MainActor.assumeIsolated { handler(result) } }
    }

    /// Calls a handler on a queue with the chain's outcome, whether the chain has succeeded or failed.
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
