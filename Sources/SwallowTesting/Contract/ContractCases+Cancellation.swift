import Foundation
import Swallow

extension DataSourceContract {
    static let cancellationCases: [Case] = [
        Case(
            "cancel() before resume()",
            "A task that is cancelled before it starts completes with URLError(.cancelled), and sends nothing."
        ) { run in
            for isSuspended in [false, true] {
                let call = try await run.call("/held")
                if isSuspended { try await call.suspend() }
                try await call.cancel()
                try await run.expectCancelled(call)
                try await call.resume()
                try await run.settle()
                try run.expectOneCompletion(call)
            }
            try run.expect(run.routes.arrivals.count == 0, "the request was sent")
        },
        Case(
            "cancel() before the head",
            "A task that is cancelled while it waits for the response completes promptly with URLError(.cancelled)."
        ) { run in
            let call = try await run.call("/held").resumed()
            try await run.arrival()
            try await call.cancel()
            try await run.expectCancelled(call)
            try await call.resume()
            run.routes.gate.open()
            try await run.settle()
            try run.expectOneCompletion(call)
        },
        Case(
            "cancel() during the body",
            "A task that is cancelled during its body completes promptly with URLError(.cancelled)."
        ) { run in
            let delivers = try await run.deliversParts()
            let call = try await run.call("/held/parts").streaming().resumed()
            run.routes.partGate.open(next: 1)
            if delivers {
                try await run.wait(for: call.received, 1, otherwise: "the head wasn't delivered")
            } else {
                try await run.arrival()
            }
            try await call.cancel()
            try await run.expectCancelled(call)
            let count = call.partCount
            run.routes.openGates()
            try await run.settle()
            try run.expect(call.partCount == count, "the receiver was called after the completion")
            try run.expectOneCompletion(call)
        },
        Case(
            "cancel() while suspended",
            "A suspended task that is cancelled completes promptly with URLError(.cancelled)."
        ) { run in
            let call = try await run.call("/held").resumed()
            try await run.arrival()
            try await call.suspend()
            try await call.cancel()
            try await run.expectCancelled(call)
            let streaming = try await run.suspendedCall()
            guard streaming.completions.isEmpty else { return }
            let count = streaming.partCount
            try await streaming.cancel()
            try await run.expectCancelled(streaming)
            try await streaming.resume()
            try await run.settle()
            try run.expect(streaming.partCount == count, "the receiver was called after the completion")
        },
        Case(
            "cancel() at any moment",
            "A task that is cancelled around its completion completes once, with its response or as cancelled."
        ) { run in
            for delay in 0..<20 {
                let call = try await run.call("/number/\(delay)")
                try await onNewThread("resume() or cancel()", within: run.limit) {
                    call.resumeOnThisThread()
                    Thread.sleep(forTimeInterval: Double(delay) / 100_000)
                    call.cancelOnThisThread()
                }
                try await run.expectCompletion(of: call) {
                    $0.isCancelled || $0.text == "/number/\(delay)"
                }
                try await call.cancel()
                try run.expectOneCompletion(call)
            }
        },
        Case(
            "cancel() inside the receiver",
            "After cancel() inside the receiver, the receiver isn't called again."
        ) { run in
            let call = try await run.call("/held/parts") { $0.cancelOnThisThread() }
            try await call.streaming().resume()
            run.routes.openGates()
            let completion = try await run.completion(of: call)
            try await run.settle()
            // If the data source delivers no parts, the receiver was never called and didn't cancel the task.
            guard call.partCount > 0 else { return }
            try run.expect(call.partCount == 1, "the receiver was called \(call.partCount) times")
            try run.expect(completion.isCancelled, "the task completed with \(completion)")
            try run.expectOneCompletion(call)
        },
    ]
}
