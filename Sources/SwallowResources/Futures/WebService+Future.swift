import Foundation
import Swallow

extension WebService {
    /// Returns a future of an endpoint's response, decoded from JSON.
    ///
    /// ```swift
    /// func posts(userID: Int) -> ServiceFuture<[Post]> {
    ///     service.future(as: [Post].self) { $0.GET("/users/\(userID)/posts") }
    /// }
    /// ```
    ///
    /// For an optional type, an empty body is `nil`. For `Data`, the body isn't decoded. For `URL` and a request with
    /// `Request.Option.download(to:resumes:createsFolders:)`, the value is the URL of the file.
    ///
    /// - Parameters:
    ///   - type: The type to decode. Omit it if the compiler can infer it.
    ///   - request: Creates a task from a copy of the service that doesn't start tasks. The future starts the task.
    ///     Unless it is cancelled, it completes after the handlers that this closure adds.
    public func future<Value: Decodable & Sendable>(
        as type: Value.Type = Value.self, _ request: @escaping @Sendable (WebService) throws -> ServiceTask
    ) -> ServiceFuture<Value> {
        future(of: type, request) { try $0.value(as: type) }
    }

    /// Returns a future of an endpoint's decoded response with its header fields.
    ///
    /// ```swift
    /// let logo = try await service.future(as: Entity<Data>.self) { $0.GET("/logo") }.value
    /// show(logo.content, as: logo.contentType)
    /// ```
    public func future<Value: Decodable & Sendable>(
        as type: Entity<Value>.Type, _ request: @escaping @Sendable (WebService) throws -> ServiceTask
    ) -> ServiceFuture<Entity<Value>> {
        future(of: Value.self, request) { $0.head.withContent(try $0.value(as: Value.self)) }
    }

    /// Unavailable. Pass a decoding as `with:`.
    @available(*, unavailable, message: "Write with: for a Decoding, and as: for a Decodable type.")
    @_disfavoredOverload
    public func future<Value: Sendable>(
        as decoding: Decoding<Value>, _ request: @escaping @Sendable (WebService) throws -> ServiceTask
    ) -> ServiceFuture<Value> {
        future(with: decoding, request)
    }

    /// Returns a future of an endpoint's response, read from JSON by a decoding.
    public func future<Value: Sendable>(
        with decoding: Decoding<Value>, _ request: @escaping @Sendable (WebService) throws -> ServiceTask
    ) -> ServiceFuture<Value> {
        future(of: JSON.self, request) { try $0.decoded(with: decoding) }
    }

    /// Returns a future without a value, which usually ignores the body of an endpoint's response. It fails if the
    /// pipeline rejects the body.
    public func future(
        _ request: @escaping @Sendable (WebService) throws -> ServiceTask
    ) -> ServiceFuture<Void> {
        future(of: Void.self, request) { _ in }
    }

    func future<Value: Sendable>(
        of type: Any.Type, _ request: @escaping @Sendable (WebService) throws -> ServiceTask,
        reading read: @escaping @Sendable (TaskContent) throws -> Value
    ) -> ServiceFuture<Value> {
        ServiceFuture(FutureRequest(maker: TaskMaker(self, request), type: type, read: read))
    }
}
