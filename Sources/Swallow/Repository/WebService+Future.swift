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
        future(request) { task, queue, handler in
            task.responseDecoded(queue, as: type, handler)
        } reading: { task throws(ServiceError) in
            try await task.decoded(as: type)
        }
    }

    /// A future of an endpoint's answer, read from JSON by a decoding.
    public func future<Value: Sendable>(
        with decoding: Decoding<Value>, _ request: @escaping @Sendable (WebService) throws -> ServiceTask
    ) -> ServiceFuture<Value> {
        future(request) { task, queue, handler in
            task.responseDecoded(queue, with: decoding, handler)
        } reading: { task throws(ServiceError) in
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
        handling onValue: FutureRequest<Value>.Attachment? = nil,
        reading read: @escaping @Sendable (ServiceTask) async throws(ServiceError) -> Value
    ) -> ServiceFuture<Value> {
        var service = self
        service.startTasksImmediately = false
        let short = onValue.map { onValue in
            FutureRequest(task: { [service] in try request(service) }, onValue: onValue)
        }
        return ServiceFuture(request: short) { [service] in
            if Task.isCancelled { return .failure(ServiceError(.cancelled)) }
            let task: ServiceTask
            do {
                task = try request(service)
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
