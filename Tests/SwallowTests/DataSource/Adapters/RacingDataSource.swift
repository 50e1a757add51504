import Foundation
import TestSupport

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A data source that answers each request on a queue of its own as soon as it is resumed, keeps the
/// contract, and says when a request has ended.
final class RacingDataSource: SessionDataTaskDataSource {
    private final class Exchange: DataTask {
        let completion: Lock<Completion>
        let url: URL?
        let isStarted = Lock(false)

        init(_ url: URL?, _ completion: @escaping Completion.Handler) {
            self.url = url
            self.completion = Lock(Completion(completion))
        }

        func resume() {
            completion.resume()
            let isFirst = isStarted.withLock { isStarted in
                defer { isStarted = true }
                return !isStarted
            }
            guard isFirst, let url else { return }
            DispatchQueue.global().async { [completion] in
                let response = HTTPURLResponse(
                    url: url, statusCode: 200, httpVersion: nil, headerFields: nil)
                completion.end(with: Ending(Data("ok".utf8), response, nil))
            }
        }

        func suspend() { completion.suspend() }
        func cancel() { completion.fail(with: URLError(.cancelled)) }
    }

    let made = Recorder<Void>()
    let ended = Recorder<Void>()

    func dataTask(
        with request: URLRequest, completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        made.append(())
        return Exchange(request.url) { [ended] data, response, error in
            completion(data, response, error)
            ended.append(())
        }
    }
}

/// Says when it is let go of.
final class Token: Sendable {
    private let isGone: Event
    init(_ isGone: Event) { self.isGone = isGone }
    deinit { isGone.happen() }
}
