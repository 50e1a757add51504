import Foundation
import Swallow

/// A data source that responds to requests instead of a server, and records them.
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
/// }
/// ```
///
/// If several stubs match a request, the stub added last responds, so a test can replace a stub of its setup. If no
/// stub matches, the request fails with a `ServiceError` of reason `.invalidRequest`. The error lists all stubs and how
/// they differ from the request, starting with the fewest differences.
///
/// The closures of stubs run inside `resume()`, and may use the data source. A response without a delay or a gate is
/// also delivered inside `resume()`, unless the task streams. If the request's body is an asynchronous sequence,
/// another thread is used. Instances share nothing, so tests can run in parallel.
public final class StubDataSource: SessionDataTaskDataSource {
    private let state = Lock(State())
    private let redirectPolicy: RedirectPolicy

    private struct State: Sendable {
        var stubs: [Stub] = []
        var requests: [URLRequest] = []
    }

    /// Creates a data source without stubs. Every request fails until you add a stub.
    ///
    /// - Parameter redirectPolicy: The policy for redirects that stubs respond with, unless a request has its own. By
    ///   default, up to 20 are followed. The next request is recorded in ``requests`` and matched like any other.
    public init(redirectPolicy: RedirectPolicy = .follow()) {
        self.redirectPolicy = redirectPolicy
    }

    /// The requests in the order in which they were sent, including requests that no stub matched.
    ///
    /// A streamed body is in `httpBody`. A request that was cancelled before `resume()` isn't included.
    public var requests: [URLRequest] { state.withLock { $0.requests } }

    var stubs: [Stub] { state.withLock { $0.stubs } }

    /// Responds to requests with this method and path, and optionally with this query, these header fields and a body.
    ///
    /// - Parameters:
    ///   - method: The request's method.
    ///   - path: The last segments of the URL's path, or a complete URL. The service's base URL doesn't matter, so
    ///     `/stores/*` matches `https://h/v1/stores/41`. A query in it, as in `/stores?zip=15217`, is a condition like
    ///     `query`.
    ///   - query: Percent-decoded items that the request's query must contain. `nil` by default.
    ///   - headers: Header fields that the request must contain. Empty by default.
    ///   - body: A closure that returns whether the body matches. It receives empty data if there is no body. If it
    ///     throws, the request doesn't match. `nil`, the default, matches any body.
    ///   - response: The response. If it is a `.sequence`, this stub starts with its first element.
    @discardableResult
    public func stub(
        _ method: Request.Method, _ path: URLPattern, query: [String: String]? = nil, headers: Headers = [:],
        body: (@Sendable (Data) throws -> Bool)? = nil, _ response: StubResponse
    ) -> Self {
        let pattern = RequestPattern(
            method: method, path: path, query: query ?? [:], headers: headers, body: body)
        return add(Stub(matcher: .pattern(pattern), response: response))
    }

    /// Responds to every request that no later stub matches: `stub.stub(.json([]))`.
    @discardableResult
    public func stub(_ response: StubResponse) -> Self {
        add(Stub(matcher: .everything, response: response))
    }

    /// Responds to the requests for which a closure returns `true`. The closure receives the body in `httpBody`.
    @discardableResult
    public func stub(
        _ response: StubResponse, when matches: @escaping @Sendable (URLRequest) -> Bool
    ) -> Self {
        add(Stub(matcher: .closure(matches), response: response))
    }

    /// Returns a task that has not started. It chooses its stub when it is resumed.
    public func dataTask(
        with request: URLRequest,
        completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        ManagedDataTask(completion) { Playback(request, $0) { self.send(request, $0).heldScript } }
    }

    private func add(_ stub: Stub) -> Self {
        state.withLock { $0.stubs.append(stub) }
        return self
    }
}

extension StubDataSource {
    private func send(_ request: URLRequest, _ context: TransferContext) -> StubAnswer {
        var request = request
        let policy = context.redirects?.take() ?? redirectPolicy
        var answer = record(&request)
        var redirects = 0
        while let response = answer.response {
            let earlier = answer
            do {
                guard var next = try policy.request(after: response, to: request, count: redirects)
                else { break }
                context.prepareRedirect?(&next)
                request = next
                redirects += 1
                answer = record(&request)
            } catch {
                answer = StubAnswer(failure: error)
            }
            answer.delay += earlier.delay
            answer.gates = earlier.gates + answer.gates
        }
        return answer
    }

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
        // The sort is stable, so stubs with the same number of differences keep their order.
        let texts = tried.sorted { $0.1.count < $1.1.count }.map { "\($0) (\($1.joined(separator: "; ")))" }
        let target = "\(request.httpMethod ?? "GET") \(request.url?.absoluteString ?? "without a URL")"
        let list = texts.isEmpty ? "the data source has no stubs" : "tried \(texts.joined(separator: "; "))"
        return ServiceError(.invalidRequest, detail: "no stub matches \(target): \(list)")
    }
}
