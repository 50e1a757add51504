import Foundation

extension WebService {
    /// A future of an endpoint's answer, decoded from JSON.
    ///
    /// ```swift
    /// func posts(userID: Int) -> ServiceFuture<[Post]> {
    ///     service.future(as: [Post].self) { $0.GET("/users/\(userID)/posts") }
    /// }
    /// ```
    ///
    /// An optional type takes an empty body for nil. `Data` is the body as received, whatever it is.
    ///
    /// - Parameter request: runs at each start. It gets this service with ``startTasksImmediately`` off, so nothing
    ///   is sent before. Handlers that it attaches run before the future ends.
    public func future<Value: Decodable & Sendable>(
        as type: Value.Type = Value.self, _ request: @escaping @Sendable (WebService) throws -> ServiceTask
    ) -> ServiceFuture<Value> {
        future(request, Self.need(for: type)) { content in try content.bytesOrDecoded(as: type) }
    }

    /// A future of an endpoint's answer, decoded from JSON, with its head's fields; `Entity<Data>` has the body as
    /// received.
    ///
    /// ```swift
    /// let logo = try await service.future(as: Entity<Data>.self) { $0.GET("/logo") }.value
    /// show(logo.content, as: logo.contentType)
    /// ```
    public func future<Value: Decodable & Sendable>(
        as type: Entity<Value>.Type, _ request: @escaping @Sendable (WebService) throws -> ServiceTask
    ) -> ServiceFuture<Entity<Value>> {
        future(request, Self.need(for: Value.self)) { content in
            content.content.rawEntity.withContent(try content.bytesOrDecoded(as: Value.self))
        }
    }

    /// Unavailable: a decoding goes by `with:`.
    @available(*, unavailable, message: "Write with: for a Decoding; as: takes a Decodable type.")
    @_disfavoredOverload
    public func future<Value: Sendable>(
        as decoding: Decoding<Value>, _ request: @escaping @Sendable (WebService) throws -> ServiceTask
    ) -> ServiceFuture<Value> {
        future(with: decoding, request)
    }

    private static func need(for type: Any.Type) -> ResponseContent.Need {
        type == Data.self ? .bytes : .json
    }

    /// A future of an endpoint's answer, read from JSON by a decoding.
    public func future<Value: Sendable>(
        with decoding: Decoding<Value>, _ request: @escaping @Sendable (WebService) throws -> ServiceTask
    ) -> ServiceFuture<Value> {
        future(request, .json) { content in try content.decoded(with: decoding) }
    }

    /// A future of an endpoint's success, whatever its body.
    public func future(
        _ request: @escaping @Sendable (WebService) throws -> ServiceTask
    ) -> ServiceFuture<Void> {
        future(request) { task throws(ServiceError) in _ = try await task.data }
    }

    /// A future of what is read from one response.
    private func future<Value: Sendable>(
        _ request: @escaping @Sendable (WebService) throws -> ServiceTask, _ need: ResponseContent.Need,
        _ read: @escaping @Sendable (ContentReader) throws -> Value
    ) -> ServiceFuture<Value> {
        future(request, by: (need, read)) { task throws(ServiceError) in
            try await task.read(need, on: .userInitiated, read).get()
        }
    }

    /// A future of what is read from a task that is made anew at each start.
    func future<Value: Sendable>(
        _ request: @escaping @Sendable (WebService) throws -> ServiceTask,
        by readContent: (need: ResponseContent.Need, read: @Sendable (ContentReader) throws -> Value)? = nil,
        reading read: @escaping @Sendable (ServiceTask) async throws(ServiceError) -> Value
    ) -> ServiceFuture<Value> {
        var service = self
        service.startTasksImmediately = false
        service.expectsResume = false
        // One closure for both ways to start: a service is a large value to capture.
        let makeTask: @Sendable () throws -> ServiceTask = { [service] in try request(service) }
        let short = readContent.map { FutureRequest(task: makeTask, need: $0.need, read: $0.read) }
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
