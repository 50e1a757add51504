extension ServiceFuture {
    /// Turns the value into another by a closure. An error that the closure throws is the failure.
    public func map<NewValue>(
        _ transform: @escaping @Sendable (Value) throws -> NewValue
    ) -> ServiceFuture<NewValue> {
        if let request { return ServiceFuture<NewValue>(request.map(transform)) }
        return andThen { value in ServiceFuture<NewValue>(value: try transform(value)) }
    }

    /// Turns the failure into another by a closure. An error of the app's own becomes the `underlying` of
    /// a ``ServiceError`` with `.thrown`.
    public func mapError(
        _ transform: @escaping @Sendable (ServiceError) -> any Error
    ) -> ServiceFuture<Value> {
        recover { error -> ServiceFuture<Value> in throw transform(error) }
    }

    /// Goes on with the future that a closure makes of the value. An error that the closure throws is the failure.
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

    // Disfavored, because a closure that only throws could return a future or a value.
    /// Continues after a failure with the future that a closure returns. An error that the closure throws replaces the
    /// failure.
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

    /// Replaces a failure by the value that a closure makes of it, or by the error that the closure throws.
    public func recover(
        _ handler: @escaping @Sendable (ServiceError) throws -> Value
    ) -> ServiceFuture<Value> {
        recover { error in ServiceFuture(value: try handler(error)) }
    }

    /// Runs the next future, unless the Swift task was cancelled.
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
            let error = ServiceError(
                thrown: error, request: failure?.request, response: failure?.response, entity: failure?.entity
            )
            return .failure(error)
        }
    }
}
