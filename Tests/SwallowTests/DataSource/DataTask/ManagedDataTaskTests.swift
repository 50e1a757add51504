import Foundation
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A managed data task")
struct ManagedDataTaskTests {
    /// An operation that records its calls, and lets the test run code inside `start(inParts:)`.
    private final class ManualOperation: DataTaskOperation {
        let calls = Recorder<String>()
        private let onStart: @Sendable () -> Void

        init(onStart: @escaping @Sendable () -> Void) { self.onStart = onStart }

        func start(inParts: Bool) {
            calls.append(inParts ? "start in parts" : "start")
            onStart()
        }
        func deliverParts() { calls.append("parts") }
        func suspend() { calls.append("suspend") }
        func resume() { calls.append("resume") }
        func cancel() { calls.append("cancel") }
    }

    private let jobs = Lock<[@Sendable () -> Void]>([])
    private let recorder = PartsRecorder()
    private let output: DataTaskOutput

    init() {
        output = DataTaskOutput(
            run: { [jobs] job in jobs.withLock { $0.append(job) } }, recorder.complete)
    }

    private func task(
        onStart: @escaping @Sendable () -> Void = {}
    ) -> (ManagedDataTask, calls: Recorder<String>) {
        let operation = ManualOperation(onStart: onStart)
        return (ManagedDataTask(output, operation), operation.calls)
    }

    private func give(_ text: String) { output.receive(.bytes(Data(text.utf8))) }
    private func end(_ text: String) { output.receive(DataTaskResult(Data(text.utf8), nil, nil)) }

    /// Runs the scheduled jobs.
    private func run() {
        for job in jobs.withLock({ jobs in
            defer { jobs = [] }
            return jobs
        }) { job() }
    }

    @Test("Body parts that arrive inside a function of the task are delivered later, by one job")
    func scheduledOnce() {
        let output = output
        let (task, _) = task {
            for text in ["a", "b", "c"] { output.receive(.bytes(Data(text.utf8))) }
        }
        task.stream(to: recorder.receive)
        task.resume()
        #expect(jobs.withLock { $0.count } == 1 && recorder.all == [])
        run()
        #expect(recorder.all == ["\"a\"", "\"b\"", "\"c\""])
        end("d")
        #expect(recorder.all.last == "end: d")
    }

    @Test("A job that runs while the task is suspended delivers nothing, and resume() schedules the next job")
    func suspended() {
        let output = output
        let (task, _) = task { output.receive(.bytes(Data("a".utf8))) }
        task.stream(to: recorder.receive)
        task.resume()
        task.suspend()
        run()
        #expect(recorder.all == [])
        task.resume()
        #expect(recorder.all == [])
        run()
        #expect(recorder.all == ["\"a\""])
    }

    @Test("If another body part arrives before the job runs, its thread delivers both")
    func overtaken() {
        let output = output
        let (task, _) = task { output.receive(.bytes(Data("a".utf8))) }
        task.stream(to: recorder.receive)
        task.resume()
        give("b")
        #expect(recorder.all == ["\"a\"", "\"b\""])
        run()
        #expect(recorder.all == ["\"a\"", "\"b\""])
    }

    @Test("Without a receiver, the completion has the complete body")
    func collected() {
        let (task, _) = task()
        task.resume()
        give("a")
        give("b")
        end("c")
        #expect(recorder.all == ["end: abc"])
    }

    @Test("A receiver that is set late receives the earlier body parts asynchronously")
    func lateReceiver() {
        let (task, calls) = task()
        task.resume()
        give("a")
        give("b")
        task.stream(to: recorder.receive)
        #expect(recorder.all == [])
        run()
        give("c")
        end("")
        #expect(recorder.all == ["\"a\"", "\"b\"", "\"c\"", "end: "])
        #expect(calls.values == ["start", "parts"])
    }

    @Test("A failure replaces body parts that no receiver has requested")
    func failure() {
        let (task, _) = task()
        task.resume()
        give("a")
        output.receive(.failure(AppError()))
        end("b")
        #expect(recorder.all == ["end: failure"])
    }

    @Test("The operation is called in order, starts once, and isn't called after the completion")
    func order() {
        let (task, calls) = task()
        task.suspend()
        task.stream(to: recorder.receive)
        #expect(calls.values == [])
        task.resume()
        task.resume()
        task.suspend()
        task.suspend()
        task.resume()
        end("")
        task.suspend()
        task.resume()
        task.cancel()
        #expect(calls.values == ["start in parts", "suspend", "resume"])
        #expect(recorder.all == ["end: "])
    }

    @Test("A cancel completes the task immediately, whether or not it was started", arguments: [true, false])
    func cancelled(isStarted: Bool) {
        let (task, calls) = task()
        if isStarted { task.resume() }
        task.cancel()
        #expect(recorder.all == ["end: cancelled"])
        task.resume()
        give("a")
        end("b")
        #expect(recorder.all == ["end: cancelled"])
        #expect(calls.values == (isStarted ? ["start", "cancel"] : ["cancel"]))
    }
}
