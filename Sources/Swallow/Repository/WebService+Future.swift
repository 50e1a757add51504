extension WebService {
    /// A future of an endpoint's answer, decoded from JSON.
    ///
    /// ```swift
    /// func posts(userID: Int) -> ServiceFuture<[Post]> {
    ///     service.future(as: [Post].self) { $0.GET("/users/\(userID)/posts") }
    /// }
    /// ```
    ///
    /// An optional type takes an empty body for nil.
    ///
    /// - Parameter request: runs at each start. It gets this service with ``startTasksImmediately`` off, so nothing
    ///   is sent before. Handlers that it attaches run before the future ends.
    public func future<Value: Decodable & Sendable>(
        as type: Value.Type = Value.self, _ request: @escaping @Sendable (WebService) throws -> ServiceTask
    ) -> ServiceFuture<Value> {
        future(request, by: { content in try content.decoded(as: type) }) { task throws(ServiceError) in
            try await task.decoded(as: type)
        }
    }

    /// A future of an endpoint's answer, read from JSON by a decoding.
    public func future<Value: Sendable>(
        with decoding: Decoding<Value>, _ request: @escaping @Sendable (WebService) throws -> ServiceTask
    ) -> ServiceFuture<Value> {
        future(request, by: { content in try content.decoded(with: decoding) }) { task throws(ServiceError) in
            try await task.decoded(with: decoding)
        }
    }

    /// A future of an endpoint's success, whatever its body.
    public func future(
        _ request: @escaping @Sendable (WebService) throws -> ServiceTask
    ) -> ServiceFuture<Void> {
        future(request) { task throws(ServiceError) in _ = try await task.data }
    }

    /// A future of what is read from a task that is made anew at each start.
    func future<Value: Sendable>(
        _ request: @escaping @Sendable (WebService) throws -> ServiceTask,
        by readContent: (@Sendable (ContentReader) throws -> Value)? = nil,
        reading read: @escaping @Sendable (ServiceTask) async throws(ServiceError) -> Value
    ) -> ServiceFuture<Value> {
        var service = self
        service.startTasksImmediately = false
        // One closure for both ways to start: a service is a large value to capture.
        let makeTask: @Sendable () throws -> ServiceTask = { [service] in try request(service) }
        let short = readContent.map { FutureRequest(task: makeTask, read: $0) }
        return ServiceFuture(request: short) {
            if Task.isCancelled { return .failure(ServiceError(.cancelled)) }
            let task: ServiceTask
            do {
                task = try makeTask()
            } catch {
                return .failure(ServiceError(thrown: error, request: nil))
            }
            // The task's own awaits leave it running where something else is attached to it.
            return await withTaskCancellationHandler {
                do throws(ServiceError) {
                    return .success(try await read(task))
                } catch {
                    return .failure(error)
                }
            } onCancel: {
                task.cancel()
            }
        }
    }
}
