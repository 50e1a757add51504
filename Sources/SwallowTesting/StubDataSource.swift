import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A data source that answers in place of a server, and shows what was sent.
///
/// ```swift
/// @Test func searchSendsTheZipCode() async throws {
///     let stub = StubDataSource()
///     stub.stub(.GET, "/stores", query: ["zip": "15217"], .json([["id": 41, "name": "Squirrel Hill"]]))
///     let service = WebService(baseURLString: "https://api.example.com/v1", dataSource: stub)
///
///     let stores = try await service.searchStores(zipCode: "15217").decoded(as: [Store].self)
///
///     #expect(stores == [Store(id: 41, name: "Squirrel Hill")])
///     #expect(stub.requests.count == 1)
/// }
/// ```
///
/// If several stubs match a request, the one added last answers, so a test can replace what its set-up stubbed. A
/// request that none matches fails with a `ServiceError` of reason `.invalidRequest`, which lists all stubs and what
/// differs, the nearest first.
///
/// An answer that isn't delayed is given inside `resume()`. Closures of stubs run there too, on the thread that
/// calls it, and may use the data source. Instances share nothing, so tests run in parallel.
public final class StubDataSource: SessionDataTaskDataSource {
    private let state = Lock(State())
    private let redirectPolicy: RedirectPolicy

    private struct State: Sendable {
        var stubs: [Stub] = []
        var requests: [URLRequest] = []
    }

    /// Makes a data source without a stub: every request fails.
    ///
    /// - Parameter redirectPolicy: how it handles redirects that its stubs answer; like the real data sources, it
    ///   follows up to 20 by default. A request that follows is one of ``requests``, and is answered by the stub that
    ///   matches it.
    public init(redirectPolicy: RedirectPolicy = .follow()) {
        self.redirectPolicy = redirectPolicy
    }

    /// The requests that were sent, in the order of their `resume()`, answered or not.
    ///
    /// A body that was a stream is in `httpBody`. A request cancelled before it was resumed isn't here.
    public var requests: [URLRequest] { state.withLock { $0.requests } }

    var stubs: [Stub] { state.withLock { $0.stubs } }

    /// Answers the requests of a method and path, and where given of a query, header fields and body.
    ///
    /// - Parameters:
    ///   - method: the request's method.
    ///   - path: matched with the end of the URL's path, from the start of a segment on, so that the service's
    ///     base doesn't matter: `/stores/*` is for `https://h/v1/stores/41`. A query in it is one that the request
    ///     must have: `/stores?zip=15217`.
    ///   - query: items that must be in the request's query, percent-decoded; others don't matter. Nil by default.
    ///   - headers: fields that the request must have with these values; others don't matter. None by default.
    ///   - body: returns whether a body, empty where there is none, is to be answered; if it throws, it isn't. Nil by
    ///     default, for any body.
    ///   - response: the answer; a sequence starts anew with each stub that it is given to.
    @discardableResult
    public func stub(
        _ method: Request.Method, _ path: URLPattern, query: [String: String]? = nil, headers: Headers = [:],
        body: (@Sendable (Data) throws -> Bool)? = nil, _ response: StubResponse
    ) -> Self {
        let pattern = RequestPattern(
            method: method, path: path, query: query ?? [:], headers: headers, body: body)
        return add(Stub(matcher: .pattern(pattern), response: response))
    }

    /// Answers every request that no stub added later matches: `stub.stub(.json([]))`.
    @discardableResult
    public func stub(_ response: StubResponse) -> Self {
        add(Stub(matcher: .everything, response: response))
    }

    /// Answers the requests for which a closure returns true; it gets them with their body in `httpBody`.
    @discardableResult
    public func stub(
        _ response: StubResponse, when matches: @escaping @Sendable (URLRequest) -> Bool
    ) -> Self {
        add(Stub(matcher: .closure(matches), response: response))
    }

    /// Returns a task that has not started; ``StubResponse`` says how it ends.
    public func dataTask(
        with request: URLRequest,
        completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        ManagedDataTask(completion) { Playback(request, $0) { self.send(request, $0).script } }
    }

    private func add(_ stub: Stub) -> Self {
        state.withLock { $0.stubs.append(stub) }
        return self
    }
}

extension StubDataSource {
    /// Finds the answer to a request, and to those that follow redirects.
    private func send(_ request: URLRequest, _ terms: SenderTerms) -> StubAnswer {
        var request = request
        let policy = terms.redirects?.take() ?? redirectPolicy
        var answer = record(&request)
        var (delay, gates, redirects) = (answer.delay, answer.gates, 0)
        while let response = answer.ending.response as? HTTPURLResponse {
            do {
                guard var next = try policy.request(after: response, to: request, count: redirects)
                else { break }
                terms.prepareRedirect?(&next)
                request = next
                redirects += 1
                answer = record(&request)
            } catch {
                answer = StubAnswer(failure: error)
            }
            delay += answer.delay
            gates += answer.gates
        }
        (answer.delay, answer.gates) = (delay, gates)
        return answer
    }

    /// Records one request, with its body as bytes, and finds its answer.
    private func record(_ request: inout URLRequest) -> StubAnswer {
        var problem: ServiceError?
        do { try request.readBodyStream() } catch { problem = error }
        let sent = request
        let stubs = state.withLock { state in
            state.requests.append(sent)
            return state.stubs
        }
        if let problem { return StubAnswer(failure: problem) }
        var missed: [(Stub, RequestPattern.Part)] = []
        for stub in stubs.reversed() {
            guard let miss = stub.firstMiss(in: sent) else { return stub.answer(to: sent) }
            missed.append((stub, miss))
        }
        return StubAnswer(failure: Self.unmatched(sent, missed))
    }

    private static func unmatched(
        _ request: URLRequest, _ missed: [(Stub, RequestPattern.Part)]
    ) -> ServiceError {
        let tried = missed.map { stub, miss in
            (stub.description, stub.differences(from: request, after: miss))
        }
        // The sort is stable: stubs with equally many differences keep their order.
        let texts = tried.sorted { $0.1.count < $1.1.count }.map { "\($0) (\($1.joined(separator: "; ")))" }
        let target = "\(request.httpMethod ?? "GET") \(request.url?.absoluteString ?? "without a URL")"
        let list = texts.isEmpty ? "there are none" : "tried \(texts.joined(separator: "; "))"
        return ServiceError(.invalidRequest, detail: "no stub matches \(target): \(list)")
    }
}
