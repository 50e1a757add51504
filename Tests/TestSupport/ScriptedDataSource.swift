import Foundation

import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A data source that responds to each request inside `resume()`, with a closure of the test.
package final class ScriptedDataSource: SessionDataTaskDataSource {
    package enum Answer: Sendable {
        case status(Int, _ headers: [String: String] = [:], body: String = "{}")
        case error(URLError.Code)
        case silence
    }

    package let requests = Recorder<URLRequest>()
    private let base: ManualDataSource

    /// - Parameter answer: A closure that receives each request and the number of requests before it.
    package init(_ answer: @escaping @Sendable (URLRequest, Int) -> Answer) {
        let (requests, count) = (requests, Lock(0))
        base = ManualDataSource { exchange in
            // A task that continues is resumed again.
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

    /// Creates a data source that sends these responses in order, and repeats the last one.
    package convenience init(_ answers: Answer...) {
        self.init { _, index in answers[min(index, answers.count - 1)] }
    }

    package func dataTask(
        with request: URLRequest, completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        base.dataTask(with: request, completion: completion)
    }

    /// The `Authorization` field of each request.
    package var credentials: [String?] {
        requests.values.map { $0.value(forHTTPHeaderField: "Authorization") }
    }
}

extension WebService {
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
    package var finalError: ServiceError? {
        get async {
            if case .failure(let error) = await result { error } else { nil }
        }
    }
}

/// A gate that callers wait at until the test opens it.
package struct Door: Sendable {
    private let came = Recorder<Void>()
    private let opened = Event()

    package init() {}

    package func pass() async {
        came.append(())
        await opened.wait()
    }

    /// Waits until a number of callers have arrived.
    package func arrivals(_ count: Int = 1) async { _ = await came.first(count) }

    package func open() { opened.happen() }
}
