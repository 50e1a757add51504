import Foundation

/// A type that sends a service's requests and receives the responses.
///
/// Use `URLSession` for a session that your app configures, ``URLSessionDataSource`` for a session with Swallow's
/// rules, and `StubDataSource` from SwallowTesting in tests. To log, tag or measure requests, use
/// ``SessionDataTaskDataSource/intercepting(_:)``, or write a data source that passes requests to another data source:
///
/// ```swift
/// struct Tagging: SessionDataTaskDataSource {
///     let base: any SessionDataTaskDataSource
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
/// A data source receives complete requests. It doesn't parse responses, and doesn't call handlers.
public protocol SessionDataTaskDataSource: Sendable {
    /// Returns an unstarted task. After `resume()` or `cancel()`, it calls `completion` exactly once, on any thread.
    ///
    /// - Parameters:
    ///   - request: The complete request to send.
    ///   - completion: Receives the body and an `HTTPURLResponse`, or an error, usually a `URLError`. For a cancelled
    ///     task, the error is `URLError(.cancelled)`.
    func dataTask(
        with request: URLRequest,
        completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask
}

package protocol SizedDataSource: SessionDataTaskDataSource {
    var maximumBodySize: Int { get }
}

extension SessionDataTaskDataSource {
    var asTransferSource: (any TransferSource)? {
        // A failed cast of a value takes 0.19 µs, but a failed check of its type takes only 0.03 µs.
        type(of: self) is any TransferSource.Type ? self as? any TransferSource : nil
    }

    package var maximumBodySize: Int {
        (self as? any SizedDataSource)?.maximumBodySize ?? ResponseSize.standardLimit
    }
}

enum StandardDataSource {
    static let shared: any SessionDataTaskDataSource = {
        #if os(Linux) && canImport(Glibc)
            let name = ProcessInfo.processInfo.environment["SWALLOW_TRANSPORT"]
            if CurlDataSource.isAvailable, name?.lowercased() != "urlsession" { return CurlDataSource() }
        #endif
        return URLSessionDataSource()
    }()
}
