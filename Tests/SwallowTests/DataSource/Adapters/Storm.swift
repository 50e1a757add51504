import Foundation
import Swallow
import TestSupport
import Testing

/// A hundred requests that many threads resume, suspend and cancel at any moment.
struct Storm {
    let calls: [Call]

    /// Waits until the storm is over, and all that weren't cancelled run.
    ///
    /// - Parameter paths: how many different requests there are.
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
        // A suspend() of one thread may have come after both resume() of the other.
        for call in calls { call.task.resume() }
    }

    /// Expects that each ends once, with its answer, or cancelled where it was.
    func expectEnds() async {
        for (index, call) in calls.enumerated() {
            let answer = await call.outcome
            #expect(answer.text == "ok" || Self.isCancelled(index) && answer.isCancelled)
        }
        #expect(calls.allSatisfy { $0.outcomes.count == 1 })
    }

    private static func isCancelled(_ index: Int) -> Bool { index % 3 == 0 }
}
