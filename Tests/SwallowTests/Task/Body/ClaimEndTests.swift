import Foundation
import TestSupport
import Testing

@testable import Swallow

/// In each test, the sink claims the body after its head and "a" have come; the rest comes while the sink's `begin` runs.
@Suite("The end of a body that waits for its sink")
struct ClaimEndTests {
    private let source = PartsDataSource()

    /// What the sink gets.
    private func calls(
        beginning: ServiceError? = nil, _ rest: @escaping @Sendable (PartsTask, ServiceTask) -> Void
    ) async throws -> [String] {
        let task = WebService.test(source).GET("/")
        task.watchHead { _ in }
        let parts = await source.tasks.first(1)[0]
        parts.give(head: 200)
        parts.give("a")
        let sink = RecordingSink(beginning: beginning) { rest(parts, task) }
        try task.claim(sink)
        #expect(await task.result.error != nil)
        return sink.calls.values
    }

    @Test("What came before a failure is given before it")
    func failure() async throws {
        let calls = try await calls { parts, _ in
            parts.give("b")
            parts.fail(URLError(.networkConnectionLost))
        }
        #expect(calls.dropLast() == ["begin 200", "receive a", "receive b"])
        #expect(calls.last?.hasPrefix("fail") == true)
    }

    @Test("A whole body is given before an error of the app's, and not finished")
    func thrownError() async throws {
        let calls = try await calls { parts, task in
            parts.give("b")
            parts.end(200)
            task.throwError(ServiceError(.invalidResponse))
        }
        #expect(calls.dropLast() == ["begin 200", "receive a", "receive b"])
        #expect(calls.last?.hasPrefix("fail") == true)
    }

    @Test("Nothing is given once the task was cancelled")
    func cancel() async throws {
        let calls = try await calls { parts, task in
            parts.give("b")
            task.cancel()
        }
        #expect(calls == ["begin 200", "fail \(ServiceError.cancelled.userMessage)"])
    }

    @Test("A sink whose begin fails gets nothing more, and one end", arguments: [true, false])
    func failingBegin(breaksOff: Bool) async throws {
        let calls = try await calls(beginning: ServiceError(.invalidResponse)) { parts, _ in
            parts.give("b")
            if breaksOff { parts.fail(URLError(.networkConnectionLost)) } else { parts.end(200) }
        }
        #expect(calls.count == 2)
        #expect(calls.last?.hasPrefix("fail") == true)
    }
}
