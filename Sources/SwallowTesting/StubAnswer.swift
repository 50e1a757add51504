import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What one request gets, and how long after it was sent.
struct StubAnswer: Sendable {
    typealias Outcome = Result<(data: Data, response: HTTPURLResponse), any Error>

    let outcome: Outcome
    var delay = Duration.zero

    init(failure error: any Error) {
        outcome = .failure(error)
    }

    init(_ data: Data, _ head: StubHead, to request: URLRequest) {
        guard let url = request.url, let response = head.response(from: url) else {
            outcome = .failure(URLError(.badURL))
            return
        }
        outcome = .success((data, response))
    }
}
