import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A test's own folder, which is deleted when the test releases it.
final class Folder: Sendable {
    let url = FileManager.default.temporaryDirectory.appending(path: "swallow-har-\(UUID().uuidString)")

    var har: HAR { get throws { try HAR(contentsOf: file) } }
    var file: URL { url.appending(path: "test.har") }
    var text: String { get throws { try String(contentsOf: file, encoding: .utf8) } }

    deinit { try? FileManager.default.removeItem(at: url) }
}

/// A server that responds to each request with a closure, inside `resume()`.
struct Answering: SessionDataTaskDataSource {
    let answer: @Sendable (URLRequest) -> (data: Data?, response: URLResponse?, error: (any Error)?)

    init(
        _ answer:
            @escaping @Sendable (URLRequest) -> (
                data: Data?, response: URLResponse?, error: (any Error)?
            )
    ) {
        self.answer = answer
    }

    /// Responds with a status, header fields and a body.
    init(_ status: Int = 200, _ headers: [String: String] = [:], _ body: Data = Data()) {
        self.init { request in (body, .test(request, status, headers), nil) }
    }

    init(failing error: any Error) { self.init { _ in (nil, nil, error) } }

    func dataTask(
        with request: URLRequest, completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        let result = answer
        return OneCall {
            let (data, response, error) = result(request)
            completion(data, response, error)
        }
    }

    private struct OneCall: DataTask {
        let body: @Sendable () -> Void
        func resume() { body() }
        func suspend() {}
        func cancel() {}
    }
}

extension URLResponse {
    static func test(
        _ request: URLRequest, _ status: Int, _ headers: [String: String] = [:], url: String? = nil
    ) -> HTTPURLResponse? {
        let url = url.flatMap { URL(string: $0) } ?? request.url
        return url.flatMap {
            HTTPURLResponse(url: $0, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers)
        }
    }
}

/// A server whose transfers the test controls.
final class ByHand: SessionDataTaskDataSource {
    final class Transfer: DataTask {
        let request: URLRequest
        private let completion: Lock<PartQueue.Completion?>
        private let receiver = Lock<(@Sendable (ResponsePart) -> Void)?>(nil)
        let calls = Recorder<String>()
        let metrics = Lock<TransferMetrics?>(nil)
        let fields = Lock<Headers>([:])

        init(_ request: URLRequest, _ completion: @escaping PartQueue.Completion) {
            self.request = request
            self.completion = Lock(completion)
        }

        func resume() { calls.append("resume") }
        func suspend() { calls.append("suspend") }
        func cancel() { calls.append("cancel") }
        func stream(to receiver: @escaping @Sendable (ResponsePart) -> Void) {
            self.receiver.withLock { $0 = receiver }
        }
        var transferMetrics: TransferMetrics? { metrics.withLock { $0 } }
        var trailers: Headers { fields.withLock { $0 } }

        func give(_ part: ResponsePart) { receiver.withLock { $0 }?(part) }
        func give(_ text: String) { give(.bytes(Data(text.utf8))) }

        func giveHead(_ status: Int = 200, _ headers: [String: String] = [:]) {
            if let head = HTTPURLResponse.test(request, status, headers) { give(.head(head)) }
        }

        func end(_ text: String = "", status: Int = 200) {
            end(with: DataTaskResult(Data(text.utf8), .test(request, status), nil))
        }

        func end(with result: DataTaskResult) {
            receiver.withLock { $0 = nil }
            completion.withLock { $0.take() }?(result.data, result.response, result.error)
        }
    }

    let transfers = Recorder<Transfer>()

    func dataTask(
        with request: URLRequest, completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        let transfer = Transfer(request, completion)
        transfers.append(transfer)
        return transfer
    }
}

/// Records the body parts that a task delivers, and its completion.
struct Stream {
    let call: Call
    let parts = Recorder<String>()

    init(_ request: URLRequest, _ source: any SessionDataTaskDataSource) {
        call = Call(request, source)
        let parts = parts
        call.task.stream { part in
            switch part {
            case .head(let head): parts.append("head \(head.statusCode)")
            case .bytes(let data): parts.append(String(decoding: data, as: UTF8.self))
            }
        }
    }
}

/// The outcome of a task in a form that can be compared.
struct Ended: Equatable, CustomStringConvertible {
    let url: String?
    let status: Int?
    let fields: [String: String]
    let data: Data?
    let code: URLError.Code?
    let words: String?

    init(_ outcome: Call.Outcome) {
        url = outcome.response?.url?.absoluteString
        status = outcome.status
        let fields = outcome.response?.allHeaderFields ?? [:]
        self.fields = Dictionary(uniqueKeysWithValues: fields.map { ("\($0.key)", "\($0.value)") })
        data = outcome.data
        code = outcome.code
        words = (outcome.error as? URLError)?.localizedDescription
    }

    var description: String {
        let body = data.map { String(decoding: $0.prefix(100), as: UTF8.self) }
        return "\(url ?? "-") \(status ?? 0) \(fields) \(body ?? "-") \(code?.rawValue ?? 0) \(words ?? "")"
    }
}

/// Returns the outcome of a request while it is recorded, and when the recording is replayed.
func recordAndReplay(
    _ request: URLRequest, _ source: any SessionDataTaskDataSource, in folder: Folder,
    redacting redaction: HAR.Redaction = .standard, bodiesInFilesOver largest: Int? = nil
) async -> (recorded: Ended, replayed: Ended) {
    let recording = source.recording(to: folder.file, redacting: redaction, bodiesInFilesOver: largest)
    let recorded = await Call(request, recording).resumed().outcome
    let replaying = Answering(failing: AppError()).replaying(
        "test", in: folder.url, mode: .replay, redacting: redaction)
    let replayed = await Call(request, replaying).resumed().outcome
    return (Ended(recorded), Ended(replayed))
}

/// The description of a failed request's error.
func problem(_ outcome: Call.Outcome) -> String { outcome.error.map { "\($0)" } ?? "none" }
