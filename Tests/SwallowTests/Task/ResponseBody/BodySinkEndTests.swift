import Foundation
import TestSupport
import Testing

@testable import Swallow

/// Tests sinks that are set after the head and the body part "a" have arrived.
@Suite("The completion of a task whose body has a sink")
struct BodySinkEndTests {
    private let source = PartsDataSource()

    /// Returns the calls of a sink that never completes its body.
    private func calls(_ rest: (PartsTask, ServiceTask) -> Void) async throws -> [String] {
        let task = WebService.test(source).GET("/")
        task.watchHead { _ in }
        let parts = await source.tasks.first(1)[0]
        parts.give(head: 200)
        parts.give("a")
        let sink = RecordingSink(result: nil)
        try task.writeBody(to: sink)
        rest(parts, task)
        #expect(await task.result.error != nil)
        return sink.calls.values
    }

    @Test("The sink receives the body parts that arrived before a failure, and then the failure")
    func failure() async throws {
        let calls = try await calls { parts, _ in
            parts.give("b")
            parts.fail(URLError(.networkConnectionLost))
        }
        #expect(calls.dropLast() == ["begin 200", "receive a", "receive b"])
        #expect(calls.last?.hasPrefix("fail") == true)
    }

    @Test("A sink whose body is complete still receives an error that the app throws")
    func thrownError() async throws {
        let calls = try await calls { parts, task in
            parts.give("b")
            parts.end(200)
            task.throwError(ServiceError(.invalidResponse))
        }
        #expect(calls.dropLast() == ["begin 200", "receive a", "receive b", "complete"])
        #expect(calls.last?.hasPrefix("fail") == true)
    }

    @Test("The sink receives no body part after a cancel")
    func cancel() async throws {
        let calls = try await calls { parts, task in
            task.cancel()
            parts.give("b")
        }
        #expect(calls == ["begin 200", "receive a", "fail \(ServiceError.cancelled.userMessage)"])
    }
}
