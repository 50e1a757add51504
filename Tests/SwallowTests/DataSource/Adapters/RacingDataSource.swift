import Foundation
import TestSupport

import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A data source that follows the contract. It responds on its own queue when a request is resumed, and records
/// completed requests.
final class RacingDataSource: SessionDataTaskDataSource {
    private struct Exchange: DataTaskOperation {
        let url: URL?
        let output: DataTaskOutput

        func start(inParts: Bool) {
            guard let url else { return }
            DispatchQueue.global().async {
                let response = HTTPURLResponse(
                    url: url, statusCode: 200, httpVersion: nil, headerFields: nil)
                output.receive(DataTaskResult(Data("ok".utf8), response, nil))
            }
        }
    }

    let made = Recorder<Void>()
    let ended = Recorder<Void>()

    func dataTask(
        with request: URLRequest, completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        made.append(())
        let completion: PartQueue.Completion = { [ended] data, response, error in
            completion(data, response, error)
            ended.append(())
        }
        return ManagedDataTask(completion) { Exchange(url: request.url, output: $0) }
    }
}

/// An object that triggers an event when it is released.
final class Token: Sendable {
    private let isGone: Event
    init(_ isGone: Event) { self.isGone = isGone }
    deinit { isGone.happen() }
}
