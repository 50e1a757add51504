import Foundation
import Swallow

final class Stub: Sendable, CustomStringConvertible {
    enum Matcher: Sendable {
        case pattern(RequestPattern)
        case closure(@Sendable (URLRequest) -> Bool)
        case everything
    }

    let matcher: Matcher
    let response: StubResponse
    private let answerCount = Lock(0)

    init(matcher: Matcher, response: StubResponse) {
        self.matcher = matcher
        self.response = response
    }

    func firstMiss(in request: URLRequest) -> RequestPattern.Part? {
        switch matcher {
        case .pattern(let pattern): pattern.firstMiss(in: request)
        case .closure(let matches): matches(request) ? nil : .body
        case .everything: nil
        }
    }

    var count: Int { answerCount.withLock { $0 } }

    func answer(to request: URLRequest) -> StubAnswer {
        let turn = answerCount.withLock { count in
            defer { count += 1 }
            return count
        }
        return response.answer(to: request, turn: turn)
    }

    func differences(from request: URLRequest, after miss: RequestPattern.Part) -> [String] {
        switch matcher {
        case .pattern(let pattern): pattern.differences(from: request, after: miss)
        case .closure: ["the closure returned false"]
        case .everything: []
        }
    }

    /// Returns whether this stub replaces an earlier one, because their conditions are equal. Closures are never equal.
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

struct StubAnswer: Sendable {
    private(set) var script: Script
    /// The time from the request, or from the opening of the last gate, to the response.
    var delay = Duration.zero
    var gates: [Gate] = []

    init(failure error: any Error) {
        script = Script(result: .failure(error))
    }

    init(_ data: Data, _ head: StubHead, to request: URLRequest) {
        // A response to HEAD has no body (RFC 9110 §9.3.2).
        let data = request.httpMethod == "HEAD" ? Data() : data
        let response = request.url.flatMap { head.response(from: $0) }
        script = Script(result: response.map { DataTaskResult(data, $0, nil) } ?? .failure(URLError(.badURL)))
    }

    init(
        parts: [Data], _ head: StubHead, heldBy gate: Gate?, failingWith failure: (any Error)?,
        to request: URLRequest
    ) {
        self.init(Data(), head, to: request)
        guard request.httpMethod != "HEAD", let response else { return }
        if let failure { script.result = .failure(failure) }
        script.steps = [.part(.head(response))]
        for part in parts where !part.isEmpty {
            if let gate { script.steps.append(.gate(gate)) }
            script.steps.append(.part(.bytes(part)))
        }
        let length = response.value(forHTTPHeaderField: "Content-Length")
        script.facts.progress.expectedToReceive = length.flatMap { Int64($0) }
    }

    var response: HTTPURLResponse? { script.result.response as? HTTPURLResponse }

    var heldScript: Script {
        var script = script
        let delays: [Script.Step] = delay > .zero ? [.wait(delay)] : []
        script.steps = gates.map { .gate($0) } + delays + script.steps
        return script
    }
}

final class StubHead: Sendable {
    private let status: Int
    private let fields: [String: String]
    /// The latest response. It is reused, because creating one is slow on Linux.
    private let latest = Lock<HTTPURLResponse?>(nil)

    init(status: Int, contentType: String?, headers: Headers) {
        self.status = status
        var headers = headers
        if headers[.contentType] == nil { headers[.contentType] = contentType }
        fields = headers.combined
    }

    func response(from url: URL) -> HTTPURLResponse? {
        if let latest = latest.withLock({ $0 }), latest.url == url { return latest }
        let response = HTTPURLResponse(
            url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
        latest.withLock { $0 = response }
        return response
    }
}
