import Foundation
import Swallow
import TestSupport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A data source that answers when the test says so, with whatever the test says.
final class ManualDataSource: SessionDataTaskDataSource {
    /// The exchanges made, in order, started or not.
    let exchanges = Recorder<ManualExchange>()
    private let answersInResume: ManualExchange.Answer?

    /// - Parameter answersInResume: what every request gets on the stack of `resume()`; nil leaves it to the test.
    init(answersInResume: ManualExchange.Answer? = nil) {
        self.answersInResume = answersInResume
    }

    func dataTask(
        with request: URLRequest, completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        let exchange = ManualExchange(
            request: request, answersInResume: answersInResume, completion: completion)
        exchanges.append(exchange)
        return exchange
    }

    /// The first exchange; waits until there is one.
    var exchange: ManualExchange {
        get async { await exchanges.first(1)[0] }
    }
}

/// One request of a `ManualDataSource`.
final class ManualExchange: DataTask {
    typealias Answer = @Sendable (ManualExchange) -> Void
    enum Call: Sendable { case resume, suspend, cancel }

    let request: URLRequest
    let calls = Recorder<Call>()
    private let answersInResume: Answer?
    private let completion: Lock<(@Sendable (Data?, URLResponse?, (any Error)?) -> Void)?>

    init(
        request: URLRequest, answersInResume: Answer?,
        completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) {
        self.request = request
        self.answersInResume = answersInResume
        self.completion = Lock(completion)
    }

    func resume() {
        calls.append(.resume)
        answersInResume?(self)
    }

    func suspend() { calls.append(.suspend) }
    func cancel() { calls.append(.cancel) }

    func answer(
        _ body: String = "{}", status: Int = 200,
        headers: [String: String] = ["Content-Type": "application/json"]
    ) {
        complete(data: Data(body.utf8), response: response(status: status, headers: headers))
    }

    func complete(data: Data? = nil, response: URLResponse? = nil, error: (any Error)? = nil) {
        completion.withLock { $0 }?(data, response, error)
    }

    /// Forgets the completion without calling it.
    func drop() {
        completion.withLock { $0 = nil }
    }

    func response(
        status: Int = 200, headers: [String: String] = ["Content-Type": "application/json"]
    ) -> HTTPURLResponse? {
        request.url.flatMap {
            HTTPURLResponse(url: $0, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers)
        }
    }
}
