import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A data source whose responses arrive in parts when the test sends them.
package final class StreamingDataSource: SessionDataTaskDataSource {
    /// All exchanges in the order of their creation, whether or not they were started.
    package let exchanges = Recorder<StreamingExchange>()

    package init() {}

    package func dataTask(
        with request: URLRequest, completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        let exchange = StreamingExchange(request: request, completion: completion)
        exchanges.append(exchange)
        return exchange
    }

    /// The first exchange. Waits until there is one.
    package var exchange: StreamingExchange {
        get async { await exchange(0) }
    }

    package func exchange(_ index: Int) async -> StreamingExchange {
        await exchanges.first(index + 1)[index]
    }
}

/// A request of a `StreamingDataSource`. It holds the parts that arrive until they may be delivered, as
/// `DataTask` specifies.
package final class StreamingExchange: DataTask {
    package enum Call: Sendable { case resume, suspend, cancel }

    private enum Arrival: Sendable {
        case part(ResponsePart)
        case end((any Error)?)
    }

    private struct State: Sendable {
        var completion: (@Sendable (Data?, URLResponse?, (any Error)?) -> Void)?
        var receiver: (@Sendable (ResponsePart) -> Void)?
        var head: HTTPURLResponse?
        var arrivals: [Arrival] = []
        var isRunning = false
        var isDelivering = false
        var progress = TransferProgress()
        var metrics: TransferMetrics?
        var trailers: Headers = [:]
    }

    package let request: URLRequest
    package let calls = Recorder<Call>()
    private let state: Lock<State>
    private let queue = DispatchQueue(label: "exchange")

    package init(
        request: URLRequest,
        completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) {
        self.request = request
        state = Lock(State(completion: completion))
    }

    package func resume() {
        state.withLock { $0.isRunning = true }
        calls.append(.resume)
        deliver()
    }

    package func suspend() {
        state.withLock { $0.isRunning = false }
        calls.append(.suspend)
    }

    package func cancel() {
        calls.append(.cancel)
        let completion = state.withLock { state in
            (state.arrivals, state.receiver) = ([], nil)
            return state.completion.take()
        }
        queue.async { completion?(nil, nil, URLError(.cancelled)) }
    }

    package func stream(to receiver: @escaping @Sendable (ResponsePart) -> Void) {
        state.withLock { state in
            if state.completion != nil, state.receiver == nil { state.receiver = receiver }
        }
        deliver()
    }

    package var isStreamed: Bool { state.withLock { $0.receiver != nil } }
    package var transferProgress: TransferProgress { state.withLock { $0.progress } }
    package var transferMetrics: TransferMetrics? { state.withLock { $0.metrics } }
    package var trailers: Headers { state.withLock { $0.trailers } }
}

// MARK: - The server's side

extension StreamingExchange {
    package func head(
        _ status: Int = 200, headers: [String: String] = ["Content-Type": "application/json"]
    ) {
        let head = request.url.flatMap {
            HTTPURLResponse(url: $0, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers)
        }
        guard let head else { return }
        arrive(.part(.head(head)))
    }

    package func send(_ text: String) { send(Data(text.utf8)) }

    package func send(_ bytes: Data) { arrive(.part(.bytes(bytes))) }

    package func end(_ trailers: Headers = [:], error: (any Error)? = nil) {
        state.withLock { $0.trailers = trailers }
        arrive(.end(error))
    }

    package func answer(_ parts: String...) {
        head()
        for part in parts { send(part) }
        end()
    }

    package func report(_ progress: TransferProgress) { state.withLock { $0.progress = progress } }
    package func report(_ metrics: TransferMetrics) { state.withLock { $0.metrics = metrics } }

    /// Suspends until the task was resumed and the parts that have arrived were delivered.
    package func delivered() async {
        _ = await calls.first(1)
        deliver()
        await queue.drained()
    }

    private func arrive(_ arrival: Arrival) {
        state.withLock { $0.arrivals.append(arrival) }
        deliver()
    }

    private func deliver() {
        queue.async { while self.deliverNext() {} }
    }

    /// Delivers one part, or the completion with the body that wasn't delivered in parts.
    private func deliverNext() -> Bool {
        typealias Delivery = @Sendable () -> Void
        let delivery: Delivery? = state.withLock { state in
            guard state.isRunning else { return nil }
            if let receiver = state.receiver, case .part(let part)? = state.arrivals.first {
                state.arrivals.removeFirst()
                if case .head(let head) = part { state.head = head }
                return { receiver(part) }
            }
            guard case .end(let error)? = state.arrivals.last, let completion = state.completion.take() else {
                return nil
            }
            var (body, head) = (Data(), state.head)
            for case .part(let part) in state.arrivals {
                switch part {
                case .head(let response): head = response
                case .bytes(let bytes): body += bytes
                }
            }
            (state.arrivals, state.receiver) = ([], nil)
            return { [head, body] in error.map { completion(nil, nil, $0) } ?? completion(body, head, nil) }
        }
        delivery?()
        return delivery != nil
    }
}

extension Result where Failure == ServiceError {
    package var error: ServiceError? {
        if case .failure(let error) = self { error } else { nil }
    }
}

extension StreamingExchange {
    /// The number of parts that can't be delivered yet.
    package var waiting: Int { state.withLock { $0.arrivals.count } }
}
