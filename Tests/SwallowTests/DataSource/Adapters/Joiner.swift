import Foundation
import TestSupport

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A data task and the answers that it got.
final class Joiner: Sendable {
    struct Received: Sendable {
        var text: String?
        var status: Int?
        var error: (any Error)?

        var isCancelled: Bool { (error as? URLError)?.code == .cancelled }
    }

    let task: any DataTask
    let answers = Recorder<Received>()

    init(_ source: any SessionDataTaskDataSource, _ request: URLRequest = .to("http://h/a")) {
        task = source.dataTask(with: request) { [answers] data, response, error in
            answers.append(
                Received(
                    text: data.map { String(decoding: $0, as: UTF8.self) },
                    status: (response as? HTTPURLResponse)?.statusCode, error: error))
        }
    }

    /// The first answer; waits until there is one.
    var answer: Received {
        get async { await answers.first(1)[0] }
    }

    var texts: [String?] { answers.values.map(\.text) }

    func resumed() -> Joiner {
        task.resume()
        return self
    }
}

extension URLRequest {
    /// A request to a URL, changed by a closure.
    static func to(_ url: String, _ change: (inout URLRequest) -> Void = { _ in }) -> URLRequest {
        // An impossible URL makes a request that matches no expectation.
        var request = URLRequest(url: URL(string: url) ?? URL(filePath: "/"))
        change(&request)
        return request
    }
}

/// A data source that answers each request on a queue of its own as soon as it is resumed, keeps the
/// contract, and says when a request has ended.
final class RacingDataSource: SessionDataTaskDataSource {
    private final class Exchange: DataTask {
        let answer: Answer
        let url: URL?
        let isStarted = Lock(false)

        init(_ url: URL?, _ answer: Answer) {
            self.url = url
            self.answer = answer
        }

        func resume() {
            answer.resume()
            let isFirst = isStarted.withLock { isStarted in
                defer { isStarted = true }
                return !isStarted
            }
            guard isFirst, let url else { return }
            DispatchQueue.global().async { [answer] in
                let response = HTTPURLResponse(
                    url: url, statusCode: 200, httpVersion: nil, headerFields: nil)
                answer.give(Data("ok".utf8), response, nil)
            }
        }

        func suspend() { answer.suspend() }
        func cancel() { answer.end(with: URLError(.cancelled)) }
    }

    let made = Recorder<Void>()
    let ended = Recorder<Void>()

    func dataTask(
        with request: URLRequest, completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        made.append(())
        return Exchange(
            request.url,
            Answer { [ended] data, response, error in
                completion(data, response, error)
                ended.append(())
            })
    }
}

/// Says when it is let go of.
final class Token: Sendable {
    private let isGone: Event
    init(_ isGone: Event) { self.isGone = isGone }
    deinit { isGone.happen() }
}
