import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A matcher of requests, and the response to them.
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
        /// The number of elements of a sequence that were used.
        var turns = 0
    }

    init(matcher: Matcher, response: StubResponse) {
        self.matcher = matcher
        self.response = response
    }

    /// Returns the first component of a request that doesn't match, or `nil` if the request matches. Runs closures of the
    /// app.
    func firstMiss(in request: URLRequest) -> RequestPattern.Part? {
        switch matcher {
        case .pattern(let pattern): pattern.firstMiss(in: request)
        case .closure(let matches): matches(request) ? nil : .body
        case .everything: nil
        }
    }

    /// The number of requests that the stub has responded to.
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

    /// Returns the reasons why the stub doesn't respond to a request.
    ///
    /// - Parameter miss: The first difference.
    func differences(from request: URLRequest, after miss: RequestPattern.Part) -> [String] {
        switch matcher {
        case .pattern(let pattern): pattern.differences(from: request, after: miss)
        case .closure: ["the closure returned false"]
        case .everything: []
        }
    }

    /// Returns whether the stub responds to the same requests as an earlier stub, which then receives none of them.
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

/// The response to one request, and the delay and the gates that hold it.
struct StubAnswer: Sendable {
    private(set) var ending: Ending
    /// The steps before the ending.
    private var parts: [Script.Step] = []
    /// The delay from sending the request or from opening the last gate.
    var delay = Duration.zero
    /// The gates that hold the response, one after another.
    var gates: [Gate] = []

    init(failure error: any Error) {
        ending = .failure(error)
    }

    init(_ data: Data, _ head: StubHead, to request: URLRequest) {
        // A response to HEAD has no body (RFC 9110 §9.3.2).
        let data = request.httpMethod == "HEAD" ? Data() : data
        let response = request.url.flatMap { head.response(from: $0) }
        ending = response.map { Ending(data, $0, nil) } ?? .failure(URLError(.badURL))
    }

    /// Returns a response whose body arrives in parts.
    static func parts(
        _ parts: [Data], _ head: StubHead, heldBy gate: Gate?, failingWith failure: (any Error)?,
        to request: URLRequest
    ) -> StubAnswer {
        var answer = StubAnswer(Data(), head, to: request)
        guard request.httpMethod != "HEAD", let response = answer.ending.response as? HTTPURLResponse
        else { return answer }
        if let failure { answer.ending = .failure(failure) }
        answer.parts = [.part(.head(response))]
        for part in parts where !part.isEmpty {
            if let gate { answer.parts.append(.gate(gate)) }
            answer.parts.append(.part(.bytes(part)))
        }
        return answer
    }

    /// The script by which a task delivers the response.
    var script: Script {
        var steps = parts
        if delay > .zero { steps.insert(.wait(delay), at: 0) }
        if !gates.isEmpty { steps.insert(contentsOf: gates.map { .gate($0) }, at: 0) }
        var progress = TransferProgress()
        if case .part(.head(let head))? = parts.first {
            progress.expectedToReceive =
                head.value(forHTTPHeaderField: "Content-Length").flatMap { Int64($0) }
        }
        return Script(steps: steps, ending: ending, progress: progress)
    }
}

/// The status and the header fields of a response.
final class StubHead: Sendable {
    private let status: Int
    private let fields: [String: String]
    /// The latest response, for reuse. On Linux, creating an `HTTPURLResponse` takes 1.9 µs, twice as long as everything else
    /// that a stub does.
    private let latest = Lock<HTTPURLResponse?>(nil)

    init(status: Int, contentType: String?, headers: Headers) {
        self.status = status
        var headers = headers
        if headers[.contentType] == nil { headers[.contentType] = contentType }
        fields = headers.combined
    }

    /// Returns the response from a URL.
    func response(from url: URL) -> HTTPURLResponse? {
        if let latest = latest.withLock({ $0 }), latest.url == url { return latest }
        let response = HTTPURLResponse(
            url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
        latest.withLock { $0 = response }
        return response
    }
}
