import Foundation
import Swallow
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

typealias Completion = @Sendable (Data?, URLResponse?, (any Error)?) -> Void

/// A data source whose tasks complete inside `resume()`. No real transport can cost less.
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

    /// An existential stores these three words inline, without an allocation.
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

/// A data source that keeps every completion handler until `answerAll()` calls it.
final class HeldDataSource: SessionDataTaskDataSource {
    private let held: Mutex<[Completion]>
    private let response = HTTPURLResponse.ready(contentType: "text/plain")
    private let body = Data("ready".utf8)

    /// Creates a data source that allocates the space for its completion handlers in advance.
    init(capacity: Int) {
        var completions: [Completion] = []
        completions.reserveCapacity(capacity)
        held = Mutex(completions)
    }

    func dataTask(with request: URLRequest, completion: @escaping Completion) -> any DataTask {
        HeldDataTask(source: self, completion: completion)
    }

    /// Completes all resumed tasks on the calling thread.
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
        guard let response else { fail("an HTTPURLResponse can't be created") }
        return response
    }
}

extension URL {
    static func made(of text: String) -> URL {
        guard let url = URL(string: text) else { fail("\"\(text)\" is not a URL") }
        return url
    }
}

/// The URL that the in-memory benchmarks request.
let inMemoryURLString = "http://localhost/stores/15217"

/// Returns a task for ``inMemoryURLString``. Like an app, it creates the service in the expression that sends the
/// request.
func inMemoryTask(_ source: some SessionDataTaskDataSource) -> ServiceTask {
    WebService(baseURLString: "http://localhost", dataSource: source).GET("/stores/15217")
}

/// Creates a `URLRequest` and dispatches to the caller's queue, which is the least that any client must do.
func floorOperation(on queue: DispatchQueue, _ done: @escaping @Sendable () -> Void) {
    let request = URLRequest(url: .made(of: inMemoryURLString))
    queue.async { withExtendedLifetime(request, done) }
}
