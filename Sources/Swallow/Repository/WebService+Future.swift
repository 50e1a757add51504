import Foundation

extension WebService {
    /// Returns a future of an endpoint's response, decoded from JSON.
    ///
    /// ```swift
    /// func posts(userID: Int) -> ServiceFuture<[Post]> {
    ///     service.future(as: [Post].self) { $0.GET("/users/\(userID)/posts") }
    /// }
    /// ```
    ///
    /// An optional type decodes an empty body as `nil`. `Data` is the body as received, regardless of its type, unless
    /// a `transform` of the task has replaced it. `URL` is the file of a
    /// ``Request/Option/download(to:resumes:createsFolders:)``.
    ///
    /// - Parameters:
    ///   - type: The type to decode the response as. Omit it if the compiler can infer it.
    ///   - request: Creates the task at each start. It receives this service with ``startTasksImmediately`` set to
    ///     false, so nothing is sent before the task is returned. Handlers that it attaches run before the future
    ///     completes.
    public func future<Value: Decodable & Sendable>(
        as type: Value.Type = Value.self, _ request: @escaping @Sendable (WebService) throws -> ServiceTask
    ) -> ServiceFuture<Value> {
        future(request, needing: Self.need(for: type)) { try $0.decodableValue(as: type, by: .future) }
    }

    /// Returns a future of an endpoint's response, decoded from JSON, with the fields of its head. `Entity<Data>` has
    /// the body as received.
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
    @available(*, unavailable, message: "Write with: for a Decoding, and as: for a Decodable type.")
    @_disfavoredOverload
    public func future<Value: Sendable>(
        as decoding: Decoding<Value>, _ request: @escaping @Sendable (WebService) throws -> ServiceTask
    ) -> ServiceFuture<Value> {
        future(with: decoding, request)
    }

    /// Returns the content that the pipeline prepares. A URL may refer to a downloaded file, so the file's bytes
    /// needn't be read.
    private static func need(for type: Any.Type) -> PipelineAdapter.Need {
        if type == URL.self { return .head }
        return type == Data.self ? .bytes : .json
    }

    /// Returns a future of an endpoint's response, read from JSON by a decoding.
    public func future<Value: Sendable>(
        with decoding: Decoding<Value>, _ request: @escaping @Sendable (WebService) throws -> ServiceTask
    ) -> ServiceFuture<Value> {
        future(request) { try $0.decodedJSON(with: decoding) }
    }

    /// Returns a future of an endpoint's success, regardless of its body.
    public func future(
        _ request: @escaping @Sendable (WebService) throws -> ServiceTask
    ) -> ServiceFuture<Void> {
        future(request, needing: .head) { _ in }
    }

    /// Returns a future that creates its task at each start.
    func future<Value: Sendable>(
        _ request: @escaping @Sendable (WebService) throws -> ServiceTask,
        needing need: PipelineAdapter.Need = .json,
        reading read: @escaping @Sendable (PipelineAdapter) throws -> Value
    ) -> ServiceFuture<Value> {
        ServiceFuture(FutureRequest(maker: TaskMaker(self, request), need: need, read: read))
    }
}
