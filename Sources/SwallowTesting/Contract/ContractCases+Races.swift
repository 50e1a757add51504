import Foundation
import Swallow

extension DataSourceContract {
    static let raceCases: [Case] = [
        Case(
            "Calls from many threads",
            "While threads resume, suspend and cancel tasks, each task completes once, as it should."
        ) { run in
            let calls = try await run.calls(100) { "/number/\($0 % 5)" }
            try await run.onFourThreads {
                for (index, call) in calls.enumerated() {
                    call.resumeOnThisThread()
                    if index % 2 == 0 { call.suspendOnThisThread() }
                    if index % 3 == 0 { call.cancelOnThisThread() }
                    call.resumeOnThisThread()
                }
            }
            try await run.expectEnds(calls) { Data("/number/\($0 % 5)".utf8) }
        },
        Case(
            "Streams from many threads",
            "While threads set receivers, resume, suspend and cancel tasks, no promise about parts is broken."
        ) { run in
            let calls = try await run.calls(60) { _ in "/parts" }
            for (index, call) in calls.enumerated() where index % 2 == 0 { try await call.streaming() }
            try await run.onFourThreads {
                for (index, call) in calls.enumerated() {
                    call.resumeOnThisThread()
                    if index % 2 == 1 { call.streamOnThisThread() }
                    if index % 4 == 0 { call.suspendOnThisThread() }
                    if index % 3 == 0 { call.cancelOnThisThread() }
                    call.resumeOnThisThread()
                }
            }
            try await run.expectEnds(calls) { _ in Data(ContractRoutes.parts.joined()) }
            for call in calls { try run.expectNoViolation(call) }
        },
    ]
}

extension ContractRun {
    /// Throws unless each call has completed with its own response. Every third call may also have been cancelled.
    fileprivate func expectEnds(_ calls: [ContractCall], body: (Int) -> Data) async throws {
        for (index, call) in calls.enumerated() {
            let completion = try await completion(of: call)
            try expect(
                completion.error == nil && call.body == body(index)
                    || index % 3 == 0 && completion.isCancelled,
                "task \(index) completed with \(completion), and its body has \(call.body.count) bytes")
        }
        for call in calls { try expectOneCompletion(call) }
    }

    fileprivate func onFourThreads(_ work: @escaping @Sendable () -> Void) async throws {
        let finished = Tally()
        for _ in 0..<4 {
            Thread.detachNewThread {
                work()
                finished.add()
            }
        }
        try await wait(for: finished, 4, otherwise: "the functions of the tasks didn't return")
    }
}
