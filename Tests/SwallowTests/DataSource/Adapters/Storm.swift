import Foundation
import Swallow
import TestSupport
import Testing

/// A hundred requests that many threads resume, suspend and cancel at any time.
struct Storm {
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
