import Foundation

import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A data source that answers each request on the stack of `resume()`, by a closure of the test's.
package final class ScriptedDataSource: SessionDataTaskDataSource {
    package enum Answer: Sendable {
        case status(Int, _ headers: [String: String] = [:], body: String = "{}")
        case error(URLError.Code)
        case silence
    }

    /// The requests that were sent, in order.
    package let requests = Recorder<URLRequest>()
    private let base: ManualDataSource

    /// - Parameter answer: gets each request, and how many there were before.
    package init(_ answer: @escaping @Sendable (URLRequest, Int) -> Answer) {
        let (requests, count) = (requests, Lock(0))
        base = ManualDataSource { exchange in
            // A task that goes on is resumed once more.
            if exchange.calls.values.count > 1 { return }
            let index = count.withLock { count in
                count += 1
                return count - 1
            }
            requests.append(exchange.request)
            switch answer(exchange.request, index) {
            case .status(let status, let headers, let body):
                exchange.answer(
                    body, status: status,
                    headers: headers.merging(["Content-Type": "application/json"]) { own, _ in own })
            case .error(let code): exchange.complete(error: URLError(code))
            case .silence: break
            }
        }
    }

    /// Answers in turn, the last one again and again.
    package convenience init(_ answers: Answer...) {
        self.init { _, index in answers[min(index, answers.count - 1)] }
    }

    package func dataTask(
        with request: URLRequest, completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        base.dataTask(with: request, completion: completion)
    }

    /// The `Authorization` of each request.
    package var credentials: [String?] {
        requests.values.map { $0.value(forHTTPHeaderField: "Authorization") }
    }
}

extension WebService {
    /// A service over a script, by a clock that the test moves.
    package static func scripted(
        _ source: any SessionDataTaskDataSource, _ clock: any ServiceClock = SystemClock(),
        _ configure: @escaping @Sendable (inout WebService.Configuration) -> Void
    ) -> WebService {
        var service = WebService.test(source)
        service.clock = clock
        service.configure(.all, configure)
        return service
    }
}

extension ServiceTask {
    /// The error that it ends with; nil for a success.
    package var finalError: ServiceError? {
        get async {
            if case .failure(let error) = await result { error } else { nil }
        }
    }
}

/// A door that is shut until the test opens it.
package struct Door: Sendable {
    private let came = Recorder<Void>()
    private let opened = Event()

    package init() {}

    package func pass() async {
        came.append(())
        await opened.wait()
    }

    /// Waits until so many have come.
    package func arrivals(_ count: Int = 1) async { _ = await came.first(count) }

    package func open() { opened.happen() }
}
