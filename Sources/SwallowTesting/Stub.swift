import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Tells which requests it answers, and how.
///
/// A class: copying its many parts for each stub tried would cost 0.1 µs, a third of the matching.
final class Stub: Sendable, CustomStringConvertible {
    enum Matcher: Sendable {
        case pattern(RequestPattern)
        case closure(@Sendable (URLRequest) -> Bool)
        case everything
    }

    let matcher: Matcher
    let response: StubResponse
    private let counts = Lock(Counts())

    private struct Counts: Sendable {
        var answers = 0
        /// How many elements of a sequence were given.
        var turns = 0
    }

    init(matcher: Matcher, response: StubResponse) {
        self.matcher = matcher
        self.response = response
    }

    /// The first part of a request that keeps it from being answered; nil where none does. Runs closures of the app's.
    func firstMiss(in request: URLRequest) -> RequestPattern.Part? {
        switch matcher {
        case .pattern(let pattern): pattern.firstMiss(in: request)
        case .closure(let matches): matches(request) ? nil : .body
        case .everything: nil
        }
    }

    /// How many requests it has answered.
    var count: Int { counts.withLock { $0.answers } }

    func answer(to request: URLRequest) -> StubAnswer {
        counts.withLock { $0.answers += 1 }
        return response.answer(to: request) {
            counts.withLock { counts in
                defer { counts.turns += 1 }
                return counts.turns
            }
        }
    }

    /// Why it doesn't answer a request.
    ///
    /// - Parameter miss: the first difference.
    func differences(from request: URLRequest, after miss: RequestPattern.Part) -> [String] {
        switch matcher {
        case .pattern(let pattern): pattern.differences(from: request, after: miss)
        case .closure: ["says no"]
        case .everything: []
        }
    }

    /// Whether it answers the same requests as an earlier stub, which then gets none of them.
    func replaces(_ other: Stub) -> Bool {
        switch (matcher, other.matcher) {
        case (.pattern(let pattern), .pattern(let others)): pattern.isSame(as: others)
        case (.everything, .everything): true
        default: false
        }
    }

    var description: String {
        switch matcher {
        case .pattern(let pattern): pattern.description
        case .closure: "a closure"
        case .everything: "any request"
        }
    }
}

/// The answer to one request, and the delay and gates that hold it.
struct StubAnswer: Sendable {
    /// The end for a task that doesn't stream its body.
    let ending: Ending
    /// What comes before the end.
    private var parts: [Script.Step] = []
    /// The end for a task that streams its body.
    private var streamedEnding: Ending
    /// The delay, from the sending of the request or from the opening of the last gate.
    var delay = Duration.zero
    /// The gates that hold it, one after another.
    var gates: [Gate] = []

    init(failure error: any Error) {
        self.init(.failure(error))
    }

    private init(_ ending: Ending) {
        (self.ending, streamedEnding) = (ending, ending)
    }

    init(_ data: Data, _ head: StubHead, to request: URLRequest) {
        // RFC 9110 §9.3.2.
        let data = request.httpMethod == "HEAD" ? Data() : data
        guard let url = request.url, let response = head.response(from: url) else {
            self.init(failure: URLError(.badURL))
            return
        }
        self.init(Ending(data, response, nil))
    }

    /// A body that comes in parts, where it is streamed.
    static func parts(
        _ parts: [Data], _ head: StubHead, heldBy gate: Gate?, failingWith failure: (any Error)?,
        to request: URLRequest
    ) -> StubAnswer {
        let whole = StubAnswer(Data(parts.joined()), head, to: request)
        guard request.httpMethod != "HEAD", let response = whole.ending.response as? HTTPURLResponse
        else { return whole }
        var answer = failure.map { StubAnswer(failure: $0) } ?? whole
        answer.parts = [.part(.head(response))]
        for part in parts where !part.isEmpty {
            if let gate { answer.parts.append(.gate(gate)) }
            answer.parts.append(.part(.bytes(part)))
        }
        answer.streamedEnding = failure.map(Ending.failure) ?? Ending(Data(), response, nil)
        return answer
    }

    /// The script by which a task delivers the answer.
    var script: Script {
        var steps = parts
        if delay > .zero { steps.insert(.wait(delay), at: 0) }
        if !gates.isEmpty { steps.insert(contentsOf: gates.map { .gate($0) }, at: 0) }
        var progress = TransferProgress()
        if case .part(.head(let head))? = parts.first {
            progress.expectedToReceive =
                head.value(forHTTPHeaderField: "Content-Length").flatMap { Int64($0) }
        }
        return Script(
            steps, ending, whenStreamed: streamedEnding, progress: progress)
    }
}

/// Status and header fields of an answer.
final class StubHead: Sendable {
    private let status: Int
    private let fields: [String: String]
    /// The latest response, kept for reuse: on Linux an HTTPURLResponse takes 1.9 µs to make, twice as long as
    /// everything else that a stub does.
    private let latest = Lock<HTTPURLResponse?>(nil)

    init(status: Int, contentType: String?, headers: Headers) {
        self.status = status
        var headers = headers
        if headers[.contentType] == nil { headers[.contentType] = contentType }
        fields = headers.combined
    }

    /// The response that comes from a URL.
    func response(from url: URL) -> HTTPURLResponse? {
        if let latest = latest.withLock({ $0 }), latest.url == url { return latest }
        let response = HTTPURLResponse(
            url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
        latest.withLock { $0 = response }
        return response
    }
}
