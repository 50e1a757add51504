import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What moves a service's bytes: the one place to change *how* requests travel.
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
    ///   - request: what is to be sent, complete.
    ///   - completion: takes the body and an `HTTPURLResponse`, or an error: a `URLError`, or a ``ServiceError`` that is to
    ///     be the task's own. A cancelled task answers `URLError(.cancelled)`.
    func dataTask(
        with request: URLRequest,
        completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask
}

/// A data source that says how many bytes of a response's body are kept in memory; one that wraps another says what that
/// says.
package protocol SizedDataSource: SessionDataTaskDataSource {
    var maximumBodySize: Int { get }
}

extension SessionDataTaskDataSource {
    /// How many bytes of a response's body are kept in memory.
    package var maximumBodySize: Int {
        (self as? any SizedDataSource)?.maximumBodySize ?? ResponseSize.standardLimit
    }
}
