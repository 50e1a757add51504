import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Rewrites each request before it is sent, with a closure that may take its time: sign it, fetch a token.
///
/// ```swift
/// // tokens is an actor of the app's that has a token, or fetches one.
/// let dataSource = WebService.standardDataSource.adaptingRequests { request in
///     guard request.url?.host() == "api.example.com" else { return }
///     request.setValue("Bearer \(try await tokens.current())", forHTTPHeaderField: "Authorization")
/// }
/// ```
///
/// - Warning: What the closure adds is not seen by the keys of entity caches, which are made from the request
///   before. Where caches are per user, credentials belong into ``Configuration/adaptRequest(_:)``, unless
///   the cache is per user, too. And the closure gets every request of the data source, also those to other
///   origins: look at the URL before you add a secret.
///
/// The closure runs once for each task, when that is first resumed, off the main thread, in a Swift task with
/// the priority and the task-local values of the caller. When the data task is cancelled, that Swift task is
/// cancelled and the data task ends at once with `URLError(.cancelled)`, whatever the closure does. While it
/// is suspended, the closure goes on, but nothing is sent.
///
/// The errors of this step, after which nothing is sent:
/// - a `ServiceError` that the closure throws stays itself;
/// - a `CancellationError` ends in a ``ServiceError`` of reason `.cancelled`;
/// - any other error in one of reason `.thrown`, with it as `underlying`;
/// - a request that can't be sent, with a header field or method that RFC 9110 forbids, in `.invalidRequest`,
///   and without an HTTP URL in `.invalidURL`.
public struct AdaptingDataSource<Base: SessionDataTaskDataSource>: SessionDataTaskDataSource {
    /// Changes a request before it is sent.
    public typealias Adapter = @Sendable (_ request: inout URLRequest) async throws -> Void

    private let base: Base
    private let adapter: Adapter

    /// Makes a data source that rewrites the requests to another one; as `base.adaptingRequests(adapter)`.
    public init(_ base: Base, _ adapter: @escaping Adapter) {
        self.base = base
        self.adapter = adapter
    }

    /// Returns a task that has not started; its request is rewritten when it is first resumed.
    public func dataTask(
        with request: URLRequest,
        completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        JoiningDataTask(completion: completion) { answer in
            JointExchange.opened(by: answer)
        } start: { [self] exchange in
            exchange.prepare {
                do {
                    exchange.send(try await adapted(request), to: base)
                } catch {
                    exchange.end(nil, nil, ServiceError(thrown: error, request: nil))
                }
            }
        }
    }

    private func adapted(_ request: URLRequest) async throws -> URLRequest {
        var request = request
        try await adapter(&request)
        try request.checkForm()
        return request
    }
}

extension SessionDataTaskDataSource {
    /// Rewrites each request before it is sent: an ``AdaptingDataSource``, which says when the closure runs,
    /// what its errors become, and why a secret may belong elsewhere.
    ///
    /// - Parameter adapter: changes a request; gets every request of the data source, whatever its origin.
    public func adaptingRequests(
        _ adapter: @escaping @Sendable (_ request: inout URLRequest) async throws -> Void
    ) -> some SessionDataTaskDataSource {
        AdaptingDataSource(self, adapter)
    }
}
