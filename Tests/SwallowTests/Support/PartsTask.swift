import Foundation
import TestSupport

import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A data task that delivers the body parts that the test sends to it.
final class PartsTask: DataTask {
    let request: URLRequest
    let calls = Recorder<ManualExchange.Call>()
    private let receiver = Lock<PartQueue.Receiver?>(nil)
    private let completion: Lock<PartQueue.Completion?>

    init(_ request: URLRequest, _ completion: @escaping PartQueue.Completion) {
        self.request = request
        self.completion = Lock(completion)
    }

    func resume() { calls.append(.resume) }
    func suspend() { calls.append(.suspend) }
    func cancel() { calls.append(.cancel) }
    func stream(to new: @escaping PartQueue.Receiver) { receiver.withLock { $0 = $0 ?? new } }

    var isStreamed: Bool { receiver.withLock { $0 != nil } }

    func give(head status: Int, _ headers: [String: String] = [:]) {
        if let head = head(status, headers) { receiver.withLock { $0 }?(.head(head)) }
    }

    func give(_ text: String) { receiver.withLock { $0 }?(.bytes(Data(text.utf8))) }

    func end(_ status: Int, _ text: String = "", _ headers: [String: String] = [:]) {
        let (completion, receiver) = (completion.withLock { $0.take() }, receiver.withLock { $0.take() })
        withExtendedLifetime(receiver) { completion?(Data(text.utf8), head(status, headers), nil) }
    }

    func fail(_ error: any Error) {
        let (completion, receiver) = (completion.withLock { $0.take() }, receiver.withLock { $0.take() })
        withExtendedLifetime(receiver) { completion?(nil, nil, error) }
    }

    func head(_ status: Int, _ headers: [String: String] = [:]) -> HTTPURLResponse? {
        request.url.flatMap {
            HTTPURLResponse(url: $0, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers)
        }
    }
}

struct PartsDataSource: SessionDataTaskDataSource {
    let tasks = Recorder<PartsTask>()

    func dataTask(
        with request: URLRequest, completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        let task = PartsTask(request, completion)
        tasks.append(task)
        return task
    }
}

/// Records the events of a streaming task: `200` for the head, `"a"` for bytes, and `end: …` for the
/// completion.
struct PartsRecorder: Sendable {
    let events = Recorder<String>()

    var all: [String] { events.values }

    @Sendable func receive(_ part: ResponsePart) {
        switch part {
        case .head(let head): events.append("\(head.statusCode)")
        case .bytes(let bytes): events.append(String(decoding: bytes, as: UTF8.self).debugDescription)
        }
    }

    @Sendable func complete(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) {
        if let error {
            events.append("end: \((error as? URLError)?.code == .cancelled ? "cancelled" : "failure")")
        } else {
            events.append("end: " + String(decoding: data ?? Data(), as: UTF8.self))
        }
    }
}
