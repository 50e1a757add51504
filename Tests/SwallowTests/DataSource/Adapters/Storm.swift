import Foundation
import Swallow
import TestSupport
import Testing

/// A hundred requests that many threads resume, suspend and cancel at any time.
struct Storm {
    /// The default number of different requests.
    static let paths = 5

    let calls: [Call]

    /// Sends the requests, and waits until all that weren't cancelled run.
    ///
    /// - Parameter paths: The number of different requests.
    init(over source: any SessionDataTaskDataSource, paths: Int) async throws {
        let calls = (0..<100).map { Call(.to("http://h/\($0 % paths)"), source) }
        self.calls = calls
        try await onThread {
            DispatchQueue.concurrentPerform(iterations: calls.count * 2) { call in
                let index = call % calls.count
                let task = calls[index].task
                task.resume()
                if index % 2 == 0 { task.suspend() }
                if Self.isCancelled(index) { task.cancel() }
                task.resume()
            }
        }
        // A suspend() of one thread may have been called after both resume() calls of the other.
        for call in calls { call.task.resume() }
    }

    /// Expects that each request completes once, with its response or as cancelled.
    func expectEnds() async {
        for (index, call) in calls.enumerated() {
            let answer = await call.outcome
            #expect(answer.text == "ok" || Self.isCancelled(index) && answer.isCancelled)
        }
        #expect(calls.allSatisfy { $0.outcomes.count == 1 })
    }

    static func isCancelled(_ index: Int) -> Bool { index % 3 == 0 }
}

/// A storm of tasks whose bodies are streamed from the start or while they run.
struct StreamStorm {
    private let calls: [StreamCall]

    init(over source: any SessionDataTaskDataSource) async throws {
        let calls = (0..<60).map { StreamCall(.to("http://h/\($0 % Storm.paths)"), source) }
        self.calls = calls
        try await onThread {
            for (index, call) in calls.enumerated() where index % 2 == 0 { call.streaming() }
            DispatchQueue.concurrentPerform(iterations: calls.count * 3) { iteration in
                let index = iteration % calls.count
                let call = calls[index]
                call.task.resume()
                if index % 2 == 1 { call.streaming() }
                if index % 4 == 0 { call.task.suspend() }
                if Storm.isCancelled(index) { call.task.cancel() }
                call.task.resume()
            }
        }
        // A suspend() of one thread may have been called after each resume() of the others.
        for call in calls { call.task.resume() }
    }

    /// Expects that each task follows the contract of `stream(to:)`.
    func expectContract() async {
        for (index, call) in calls.enumerated() {
            let outcome = await call.outcome
            let body = await call.body
            #expect(
                outcome.error == nil && body == Data("ok".utf8)
                    || Storm.isCancelled(index) && outcome.isCancelled)
            #expect(call.problems == [])
        }
    }
}
