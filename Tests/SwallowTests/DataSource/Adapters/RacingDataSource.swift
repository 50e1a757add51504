import Foundation
import TestSupport

import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A data source that answers each request on a queue of its own as soon as it is resumed, keeps the
/// contract, and says when a request has ended.
final class RacingDataSource: SessionDataTaskDataSource {
    private final class Exchange: DataTask {
        /// Holds whether the request was sent.
        let outbox: Outbox<Bool>
        let url: URL?

        init(_ url: URL?, _ completion: @escaping PartQueue.Completion) {
            self.url = url
            outbox = Outbox(false, completion)
        }

        func resume() {
            let isFirst = outbox.change { wasStarted, queue in
                queue.resume()
                defer { wasStarted = true }
                return !wasStarted
            }
            guard isFirst, let url else { return }
            DispatchQueue.global().async { [outbox] in
                let response = HTTPURLResponse(
                    url: url, statusCode: 200, httpVersion: nil, headerFields: nil)
                outbox.change { $1.end(with: Ending(Data("ok".utf8), response, nil)) }
            }
        }

        func suspend() { outbox.change { $1.suspend() } }
        func cancel() { outbox.change { $1.fail(with: URLError(.cancelled)) } }
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
