import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A data source that responds when the test calls it, with the response that the test passes.
package final class ManualDataSource: SessionDataTaskDataSource {
    /// All exchanges in the order of their creation, whether or not they were started.
    package let exchanges = Recorder<ManualExchange>()
    private let answersInResume: ManualExchange.Answer?

    /// - Parameter answersInResume: Called inside `resume()` of every request. If it is `nil`, the test
    /// responds.
    package init(answersInResume: ManualExchange.Answer? = nil) {
        self.answersInResume = answersInResume
    }

    package func dataTask(
        with request: URLRequest, completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        let exchange = ManualExchange(
            request: request, answersInResume: answersInResume, completion: completion)
        exchanges.append(exchange)
        return exchange
    }

    /// The first exchange. Waits until there is one.
    package var exchange: ManualExchange {
        get async { await exchanges.first(1)[0] }
    }
}

package final class ManualExchange: DataTask {
    package typealias Answer = @Sendable (ManualExchange) -> Void
    package enum Call: Sendable { case resume, suspend, cancel }

    package let request: URLRequest
    package let calls = Recorder<Call>()
    private let answersInResume: Answer?
    private let completion: Lock<(@Sendable (Data?, URLResponse?, (any Error)?) -> Void)?>

    package init(
        request: URLRequest, answersInResume: Answer?,
        completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) {
        self.request = request
        self.answersInResume = answersInResume
        self.completion = Lock(completion)
    }

    package func resume() {
        calls.append(.resume)
        answersInResume?(self)
    }

    package func suspend() { calls.append(.suspend) }
    package func cancel() { calls.append(.cancel) }

    package func answer(
        _ body: String = "{}", status: Int = 200,
        headers: [String: String] = ["Content-Type": "application/json"]
    ) {
        complete(data: Data(body.utf8), response: response(status: status, headers: headers))
    }

    package func complete(data: Data? = nil, response: URLResponse? = nil, error: (any Error)? = nil) {
        completion.withLock { $0 }?(data, response, error)
    }

    /// Releases the completion without calling it.
    package func drop() {
        completion.withLock { $0 = nil }
    }

    package func response(
        status: Int = 200, headers: [String: String] = ["Content-Type": "application/json"]
    ) -> HTTPURLResponse? {
        request.url.flatMap {
            HTTPURLResponse(url: $0, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers)
        }
    }
}
