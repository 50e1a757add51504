import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A data source that responds before it returns the data task")
struct EagerSourceTests {
    private let clock = ManualClock()

    private func service(
        _ source: EagerDataSource, _ configure: @escaping @Sendable (inout WebService.Configuration) -> Void
    ) -> WebService {
        .scripted(source, clock, configure)
    }

    @Test("A first response that fails is retried immediately")
    func atOnce() async throws {
        let source = EagerDataSource(503, 200)
        let task = service(source) {
            $0.retry = RetryPolicy()
            $0.retry.backoff = .init(first: .zero)
        }.GET("/")
        #expect(try await task.text == "200")
        #expect(source.tasks.values.count == 2)
    }

    @Test("After a delay, only the latest data task is resumed, suspended and cancelled")
    func delayed() async throws {
        let source = EagerDataSource(503, 503, nil)
        let task = service(source) {
            $0.retry = RetryPolicy()
            $0.retry.jitter = 1...1
        }.GET("/")
        clock.advance(by: .milliseconds(500))
        #expect(source.tasks.values.count == 2)
        clock.advance(by: .seconds(1))
        #expect(source.tasks.values.count == 3)
        let calls = source.tasks.values.map(\.calls.values)
        #expect(calls == [[.cancel], [.cancel], [.resume]])
        task.suspend()
        #expect(source.tasks.values.map(\.calls.values) == [[.cancel], [.cancel], [.resume, .suspend]])
        task.cancel()
        #expect(await task.finalError?.reason == .cancelled)
        #expect(source.tasks.values.last?.calls.values == [.resume, .suspend, .cancel])
    }

    @Test("After a rejected credential, the token is refreshed and the request is sent once more")
    func refused() async throws {
        let source = EagerDataSource(401, 200)
        let tokens = Recorder<Void>()
        let authenticator = TokenAuthenticator { _ in
            tokens.append(())
            return .init("token\(tokens.values.count)")
        }
        let task = service(source) { $0.authenticator = authenticator }.GET("/")
        #expect(try await task.text == "200")
        #expect(
            source.tasks.values.map { $0.request.value(forHTTPHeaderField: "Authorization") }
                == ["Bearer token1", "Bearer token2"])
    }

    @Test("Without a retry policy, a failed response fails the task")
    func failure() async throws {
        let task = service(EagerDataSource(503)) { _ in }.GET("/")
        #expect(await task.finalError?.statusCode == 503)
    }
}

/// A data source that responds before it returns the data task. The body is the status as text. It doesn't respond if
/// the status is `nil`.
private final class EagerDataSource: SessionDataTaskDataSource {
    let tasks = Recorder<EagerTask>()
    private let answers: [Int?]

    init(_ answers: Int?...) {
        self.answers = answers
    }

    func dataTask(
        with request: URLRequest, completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        let task = EagerTask(request: request, completion: completion)
        let index = tasks.values.count
        tasks.append(task)
        if index < answers.count, let status = answers[index], let url = request.url {
            let head = HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: [:])
            completion(Data("\(status)".utf8), head, nil)
        }
        return task
    }
}

private struct EagerTask: DataTask {
    enum Call: Sendable { case resume, suspend, cancel }

    let request: URLRequest
    let completion: @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    let calls = Recorder<Call>()

    func resume() { calls.append(.resume) }
    func suspend() { calls.append(.suspend) }
    func cancel() { calls.append(.cancel) }
}
