import Foundation
import Support
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

typealias Completion = @Sendable (Data?, URLResponse?, (any Error)?) -> Void

/// Answers inside `resume()` with what is ready: no transport can cost less.
final class ReadyDataSource: SessionDataTaskDataSource {
    private let response: HTTPURLResponse
    private let body: Data

    init(
        _ body: Data = Data("ready".utf8), contentType: String = "text/plain", fields: [String: String] = [:]
    ) {
        self.body = body
        response = .ready(contentType: contentType, fields: fields)
    }

    func dataTask(with request: URLRequest, completion: @escaping Completion) -> any DataTask {
        ReadyDataTask(source: self, completion: completion)
    }

    /// Three words, which an existential holds without an allocation.
    private struct ReadyDataTask: DataTask {
        let source: ReadyDataSource
        let completion: Completion

        func resume() {
            completion(source.body, source.response, nil)
        }

        func suspend() {}
        func cancel() {}
    }
}

/// Keeps every completion until `answerAll()`.
final class HeldDataSource: SessionDataTaskDataSource {
    private let held: Lock<[Completion]>
    private let response = HTTPURLResponse.ready(contentType: "text/plain")
    private let body = Data("ready".utf8)

    /// Makes a source with room for so many completions, which it takes from the heap at once.
    init(capacity: Int) {
        var completions: [Completion] = []
        completions.reserveCapacity(capacity)
        held = Lock(completions)
    }

    func dataTask(with request: URLRequest, completion: @escaping Completion) -> any DataTask {
        HeldDataTask(source: self, completion: completion)
    }

    /// Answers what was started, on the calling thread.
    func answerAll() {
        let completions = held.withLock { held in
            defer { held = [] }
            return held
        }
        for completion in completions { completion(body, response, nil) }
    }

    private struct HeldDataTask: DataTask {
        let source: HeldDataSource
        let completion: Completion

        func resume() {
            source.held.withLock { $0.append(completion) }
        }

        func suspend() {}
        func cancel() {}
    }
}

extension HTTPURLResponse {
    fileprivate static func ready(
        contentType: String, fields: [String: String] = [:]
    ) -> HTTPURLResponse {
        let response = HTTPURLResponse(
            url: .made(of: inMemoryURLString), statusCode: 200, httpVersion: "HTTP/1.1",
            headerFields: fields.merging(["Content-Type": contentType]) { $1 })
        guard let response else { fail("no HTTPURLResponse can be made") }
        return response
    }
}

extension URL {
    static func made(of text: String) -> URL {
        guard let url = URL(string: text) else { fail("\"\(text)\" is not a URL") }
        return url
    }
}

/// What the in-memory benchmarks ask for.
let inMemoryURLString = "http://localhost/stores/15217"

/// A task for it, its service made inline as apps do.
func inMemoryTask(_ source: some SessionDataTaskDataSource) -> ServiceTask {
    WebService(baseURLString: "http://localhost", dataSource: source).GET("/stores/15217")
}

/// The least that any client does for a request: make it, and hop to the queue that wants the answer.
func floorOperation(on queue: DispatchQueue, _ done: @escaping @Sendable () -> Void) {
    let request = URLRequest(url: .made(of: inMemoryURLString))
    queue.async { withExtendedLifetime(request, done) }
}
