import Foundation
import Testing
import TestSupport

import Swallow

@Suite("Cancelling")
struct CancelTests {
    private let source = ManualDataSource()

    @Test("cancel() before resume() sends nothing and fails with .cancelled")
    func beforeResume() async {
        var service = WebService.test(source)
        service.startTasksImmediately = false
        let errors = Recorder<ServiceError>()
        let task = service.GET("/").responseError(.utility) { errors.append($0) }
        #expect(task.state == .suspended)
        task.cancel()
        task.resume()
        #expect(await errors.first(1)[0].reason == .cancelled)
        #expect(source.exchanges.values.isEmpty)
        #expect(task.state == .completed)
    }

    @Test("On the main actor, no success handler runs after cancel()")
    @MainActor func exactOnMainActor() async {
        let log = Recorder<String>()
        let task = WebService.test(ManualDataSource(answersInResume: { $0.answer() })).GET("/")
            .response { _, _ in log.append("success") }
            .responseJSON { _ in log.append("success") }
            .responseError { log.append("\($0.reason)") }
        // The response has arrived, and the first handler is already scheduled on this actor.
        task.cancel()
        #expect(await log.first(1) == ["cancelled"])
        _ = await task.result
        #expect(log.values == ["cancelled"])
    }

    @Test("A handler that cancels its task stops the success handlers after it")
    func insideHandler() async {
        let log = Recorder<String>()
        let task = WebService.test(source).GET("/")
        task.response(.utility) { _, _ in
            log.append("first")
            task.cancel()
        }
        .response(.utility) { _, _ in log.append("second") }
        .responseError(.utility) { log.append("\($0.reason)") }
        await source.exchange.answer()
        #expect(await log.first(2) == ["first", "cancelled"])
    }

    @Test("A response that waits to be parsed isn't parsed after cancel()")
    func beforeParsing() async {
        let events = Recorder<LogEvent>()
        let queue = DispatchQueue(label: "CancelTests")
        queue.suspend()
        var service = WebService.test(ManualDataSource(answersInResume: { $0.answer("[1]") }))
        service.log = { events.append($0) }
        let task = service.GET("/").responseJSON(queue) { _ in }
        task.cancel()
        queue.resume()
        #expect(await task.result.failure?.reason == .cancelled)
        let isParsed = events.values.contains { if case .stageRun = $0 { true } else { false } }
        #expect(!isParsed)
    }

    @Test("Cancelling a completed task does nothing")
    func afterTheEnd() async throws {
        let task = WebService.test(source).GET("/").response(.utility) { _, _ in }
        await source.exchange.answer("[1]")
        _ = await task.result
        task.cancel()
        #expect(try await task.json == [1])
        #expect(await source.exchange.calls.values == [.resume])
    }

    @Test("suspend() and resume() reach the data source")
    func suspendAndResume() async {
        let task = WebService.test(source).GET("/")
        task.suspend()
        #expect(task.state == .suspended)
        task.resume()
        #expect(task.state == .running)
        #expect(await source.exchange.calls.first(3) == [.resume, .suspend, .resume])
    }

    @Test("A cancelled Swift task cancels its await, and also the request if nothing else is attached")
    func swiftTask() async {
        let task = WebService.test(source).GET("/")
        let reading = Task { try await task.json }
        let exchange = await source.exchange
        reading.cancel()
        await #expect { try await reading.value } throws: { ($0 as? ServiceError)?.isCancelled == true }
        #expect(await exchange.calls.first(2) == [.resume, .cancel])
        #expect(task.state == .completed)
    }

    @Test("A cancelled Swift task cancels the request if only progress handlers are attached besides")
    func swiftTaskWithProgress() async {
        let task = WebService.test(source).GET("/")
            .downloadProgress(.utility) { _ in }
            .uploadProgress { _ in }
        let reading = Task { try await task.json }
        let exchange = await source.exchange
        reading.cancel()
        await #expect(throws: ServiceError.self) { try await reading.value }
        #expect(await exchange.calls.first(2) == [.resume, .cancel])
        #expect(task.state == .completed)
    }

    @Test("A cancelled Swift task leaves the request running if a handler is attached")
    func swiftTaskWithHandler() async {
        let bodies = Recorder<JSON>()
        let task = WebService.test(source).GET("/").responseJSON(.utility) { bodies.append($0) }
        let reading = Task { try await task.json }
        let exchange = await source.exchange
        reading.cancel()
        await #expect(throws: ServiceError.self) { try await reading.value }
        #expect(task.state == .running)
        exchange.answer("[1]")
        #expect(await bodies.first(1) == [[1]])
    }

    @Test("An await in a Swift task that is already cancelled sends nothing")
    func swiftTaskCancelledBefore() async {
        var service = WebService.test(source)
        service.startTasksImmediately = false
        let task = service.GET("/")
        let reading = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await task.json
        }
        await #expect(throws: ServiceError.self) { try await reading.value }
        #expect(source.exchanges.values.isEmpty)
    }

    @Test("Awaits that are cancelled while the response arrives succeed or fail with .cancelled")
    func swiftTaskRace() async throws {
        for _ in 0..<Sanitizer.rounds(500, sanitized: 100) {
            let source = ManualDataSource()
            let task = WebService.test(source).GET("/")
            let readings = (0..<3).map { _ in Task { try await task.json } }
            let exchange = await source.exchange
            try await onThread {
                DispatchQueue.concurrentPerform(iterations: 4) { index in
                    if index < 3 { readings[index].cancel() } else { exchange.answer() }
                }
            }
            for reading in readings {
                guard case .failure(let error) = await reading.result else { continue }
                #expect((error as? ServiceError)?.isCancelled == true)
            }
        }
    }

    @Test("A handler that was running when the task was cancelled is the last success handler that runs")
    func duringHandler() async {
        let (isRunning, gate) = (Event(), DispatchSemaphore(value: 0))
        let log = Recorder<String>()
        let task = WebService.test(source).GET("/")
            .response(.patient) { _, _ in
                isRunning.happen()
                gate.wait()
                log.append("success")
            }
            .responseJSON(.utility) { _ in log.append("success") }
            .responseError(.utility) { log.append("\($0.reason)") }
        await source.exchange.answer()
        await isRunning.wait()
        task.cancel()
        gate.signal()
        #expect(await log.first(2) == ["success", "cancelled"])
    }

    @Test("A cancelled await fails with .cancelled, even if its value is being decoded")
    func duringDecoding() async {
        let task = WebService.test(source).GET("/")
        let reading = Lock<Task<Cancelling, any Error>?>(nil)
        Cancelling.hook.withLock { $0 = { reading.withLock { $0 }?.cancel() } }
        reading.withLock { $0 = Task { try await task.decoded(as: Cancelling.self) } }
        await source.exchange.answer()
        await #expect {
            try await reading.withLock { $0 }?.value
        } throws: {
            ($0 as? ServiceError)?.isCancelled == true
        }
    }

    @Test(
        "If the chain fails while a handler's body is decoded, the error handler runs instead of that handler"
    )
    func beforeHandler() async {
        for isCancelled in [true, false] {
            let (log, source) = (Recorder<String>(), ManualDataSource())
            let task = WebService.test(source).GET("/")
            Failing.hook.withLock {
                $0 = { if isCancelled { task.cancel() } else { task.throwError(AppError(code: 7)) } }
            }
            task.responseDecoded(.patient, as: Failing.self) { _ in log.append("success") }
                .responseError(.patient) { log.append("\($0.reason)") }
            await source.exchange.answer()
            #expect(await log.first(1) == [isCancelled ? "cancelled" : "thrown"])
        }
        Failing.hook.withLock { $0 = nil }
    }

    @Test("A task without handlers can be cancelled after its response has arrived")
    func beforeAnyHandler() async {
        let task = WebService.test(ManualDataSource(answersInResume: { $0.answer() })).GET("/")
        task.cancel()
        #expect(await task.result.failure?.isCancelled == true)
    }
}

/// A model whose decoding calls the hook. The test cancels the await there, and the decoding still succeeds.
private struct Cancelling: Decodable, Sendable {
    static let hook = Lock<(@Sendable () -> Void)?>(nil)

    init(from decoder: any Decoder) {
        Self.hook.withLock { $0 }?()
    }
}

/// A model whose decoding calls the hook and then succeeds.
private struct Failing: Decodable, Sendable {
    static let hook = Lock<(@Sendable () -> Void)?>(nil)

    init(from decoder: any Decoder) {
        Self.hook.withLock { $0 }?()
    }
}
