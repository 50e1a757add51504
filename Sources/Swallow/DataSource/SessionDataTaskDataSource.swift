import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Moves a service's bytes: the one place to change *how* requests travel.
///
/// Use `URLSession` for an app's own session with its own rules, ``URLSessionDataSource`` for Swallow's, and
/// `StubDataSource` from SwallowTesting in tests. To log, tag or record, write a data source that
/// holds another one and hands requests on to it:
///
/// ```swift
/// struct Tagging<Base: SessionDataTaskDataSource>: SessionDataTaskDataSource {
///     let base: Base
///
///     func dataTask(
///         with request: URLRequest, completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
///     ) -> any DataTask {
///         var request = request
///         request.setValue(UUID().uuidString, forHTTPHeaderField: "X-Request-ID")
///         return base.dataTask(with: request, completion: completion)
///     }
/// }
/// ```
///
/// Requests come complete; a data source never sees parsing, handlers or the app's errors.
public protocol SessionDataTaskDataSource: Sendable {
    /// Returns a task that has not started. `completion` is called exactly once, on any thread.
    ///
    /// - Parameters:
    ///   - request: the complete request to send.
    ///   - completion: takes the body and an `HTTPURLResponse`, or an error: a `URLError`, or a ``ServiceError`` that is to
    ///     be the task's own. A cancelled task answers `URLError(.cancelled)`.
    func dataTask(
        with request: URLRequest,
        completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask
}

/// A data source that limits response bodies in memory. One that wraps another has the other's limit.
package protocol SizedDataSource: SessionDataTaskDataSource {
    var maximumBodySize: Int { get }
}

extension SessionDataTaskDataSource {
    /// The most bytes of a response's body that may be in memory.
    package var maximumBodySize: Int {
        (self as? any SizedDataSource)?.maximumBodySize ?? ResponseSize.standardLimit
    }
}
