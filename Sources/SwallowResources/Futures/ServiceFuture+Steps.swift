import Swallow

extension ServiceFuture {
    /// Returns a future that transforms the value with a closure. If the closure throws, the future fails.
    public func map<NewValue>(
        _ transform: @escaping @Sendable (Value) throws -> NewValue
    ) -> ServiceFuture<NewValue> {
        if let request { return ServiceFuture<NewValue>(request.map(transform)) }
        return andThen { value in ServiceFuture<NewValue>(value: try transform(value)) }
    }

    /// Returns a future that replaces a failure with the error that a closure returns. An error of your own type
    /// becomes the `underlying` of `.thrown`.
    public func mapError(
        _ transform: @escaping @Sendable (ServiceError) -> any Error
    ) -> ServiceFuture<Value> {
        recover { error -> ServiceFuture<Value> in throw transform(error) }
    }

    /// Returns a future that passes the value to a closure and runs the closure's future. Fails if the closure throws.
    public func andThen<NewValue>(
        _ next: @escaping @Sendable (Value) throws -> ServiceFuture<NewValue>
    ) -> ServiceFuture<NewValue> {
        ServiceFuture<NewValue>(after: maker) {
            switch await run() {
            case .success(let value): await Self.run { try next(value) }
            case .failure(let error): .failure(error)
            }
        }
    }

    // Disfavored, because a closure that only throws matches both overloads of `recover`.
    /// Returns a future that replaces a failure with the outcome of a closure's future. It fails if the closure throws.
    @_disfavoredOverload
    public func recover(
        _ handler: @escaping @Sendable (ServiceError) throws -> ServiceFuture<Value>
    ) -> ServiceFuture<Value> {
        ServiceFuture(after: maker) {
            switch await run() {
            case .success(let value): .success(value)
            case .failure(let error): await Self.run(after: error) { try handler(error) }
            }
        }
    }

    /// Returns a future that replaces a failure with a closure's value, or with the error that it throws.
    public func recover(
        _ handler: @escaping @Sendable (ServiceError) throws -> Value
    ) -> ServiceFuture<Value> {
        recover { error in ServiceFuture(value: try handler(error)) }
    }

    @concurrent private static func run<NewValue>(
        after failure: ServiceError? = nil, _ next: () throws -> ServiceFuture<NewValue>
    ) async -> Result<NewValue, ServiceError> {
        if Task.isCancelled {
            let cancellation = failure.flatMap { $0.isCancelled ? $0 : nil }
            return .failure(cancellation ?? ServiceError(.cancelled, request: failure?.request))
        }
        do {
            return await (try next()).run()
        } catch {
            return .failure(ServiceError(thrown: error, after: failure))
        }
    }
}
