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

    /// Puts content in a failure's place: the handlers that follow go on as after a success.
    ///
    /// The closure runs on a background queue. What it throws takes the failure's place.
    @discardableResult
    public func recover(_ handler: @escaping @Sendable (ServiceError) throws -> Entity<any Sendable>) -> Self
    {
        recover(.userInitiated, handler)
    }

    /// Puts content in a failure's place, made by a closure on a queue. What it throws takes the failure's place.
    @discardableResult
    public func recover(
        _ queue: DispatchQueue, _ handler: @escaping @Sendable (ServiceError) throws -> Entity<any Sendable>
    ) -> Self {
        attach(HandlerLink(queue, .bytes, onSuccess: nil, onFailure: handler))
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
                onSuccess: { content in
                    handler(.success(try content.entity()))
                    return nil
                },
                onFailure: { error in
                    handler(.failure(error))
                    return nil
                }))
    }
}
