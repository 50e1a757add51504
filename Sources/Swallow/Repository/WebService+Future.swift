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
    /// An optional type takes an empty body for nil. `Data` is the body as received, whatever it is, unless a `transform` of
    /// the task's made other bytes, and `URL` the file of a ``Request/Option/download(to:resumes:createsFolders:)``.
    ///
    /// - Parameters:
    ///   - type: what the answer is decoded as; left out where the context says it.
    ///   - request: runs at each start. It gets this service with ``startTasksImmediately`` off, so nothing is sent before.
    ///     Handlers that it attaches run before the future ends.
    public func future<Value: Decodable & Sendable>(
        as type: Value.Type = Value.self, _ request: @escaping @Sendable (WebService) throws -> ServiceTask
    ) -> ServiceFuture<Value> {
        future(request, needing: Self.need(for: type)) { try $0.decodableValue(as: type, by: .future) }
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
        future(request, needing: Self.need(for: Value.self)) { adapter in
            adapter.rawEntity.withContent(try adapter.decodableValue(as: Value.self, by: .future))
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

    /// A URL may be the one of a download's file, which then needn't be read.
    private static func need(for type: Any.Type) -> PipelineAdapter.Need {
        if type == URL.self { return .head }
        return type == Data.self ? .bytes : .json
    }

    /// A future of an endpoint's answer, read from JSON by a decoding.
    public func future<Value: Sendable>(
        with decoding: Decoding<Value>, _ request: @escaping @Sendable (WebService) throws -> ServiceTask
    ) -> ServiceFuture<Value> {
        future(request) { try $0.decodedJSON(with: decoding) }
    }

    /// A future of an endpoint's success, whatever its body.
    public func future(
        _ request: @escaping @Sendable (WebService) throws -> ServiceTask
    ) -> ServiceFuture<Void> {
        future(request, needing: .head) { _ in }
    }

    /// A future whose task is made anew at each start.
    func future<Value: Sendable>(
        _ request: @escaping @Sendable (WebService) throws -> ServiceTask,
        needing need: PipelineAdapter.Need = .json,
        reading read: @escaping @Sendable (PipelineAdapter) throws -> Value
    ) -> ServiceFuture<Value> {
        ServiceFuture(FutureRequest(maker: TaskMaker(self, request), need: need, read: read))
    }
}
