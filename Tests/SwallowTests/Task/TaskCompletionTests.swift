import Foundation
import SwallowTesting
import Testing
import TestSupport

import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Each task completes exactly once")
struct TaskCompletionTests {
    private let source = ManualDataSource()
    private let completions = Recorder<Result<Entity<any Sendable>, ServiceError>>()

    private func reason(_ result: Result<Entity<any Sendable>, ServiceError>) -> ServiceError.Reason? {
        if case .failure(let error) = result { error.reason } else { nil }
    }

    @Test("A task completes if the data source responds synchronously inside resume()")
    func synchronousAnswer() async {
        let source = ManualDataSource(answersInResume: { $0.answer() })
        let task = WebService.test(source).GET("/").responseCompleted(.utility) { completions.append($0) }
        #expect(task.state == .completed)
        #expect(await reason(completions.first(1)[0]) == nil)
    }

    @Test("A task completes if the data source responds before it returns the data task")
    func answerBeforeReturn() async {
        struct Hasty: SessionDataTaskDataSource {
            func dataTask(
                with request: URLRequest,
                completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
            ) -> any DataTask {
                let exchange = ManualExchange(request: request, answersInResume: nil, completion: completion)
                exchange.answer()
                return exchange
            }
        }
        WebService.test(Hasty()).GET("/").responseCompleted(.utility) { completions.append($0) }
        #expect(await reason(completions.first(1)[0]) == nil)
    }

    @Test("If the data source responds twice, the first response counts")
    func twoAnswers() async throws {
        let bodies = Recorder<String>()
        let task = WebService.test(source).GET("/")
            .responseText(.utility) { bodies.append($0) }
            .responseCompleted(.utility) { completions.append($0) }
        let exchange = await source.exchange
        exchange.answer("[1]")
        exchange.answer("[2]")
        exchange.complete(error: URLError(.networkConnectionLost))
        #expect(try await task.text == "[1]")
        #expect(bodies.values == ["[1]"])
        #expect(completions.values.count == 1)
    }

    @Test("A completion without a response fails with .invalidResponse, and is ignored after a response")
    func noAnswer() async {
        WebService.test(source).GET("/").responseCompleted(.utility) { completions.append($0) }
        await source.exchange.answer()
        await source.exchange.complete(data: nil, response: nil, error: nil)
        #expect(await reason(completions.first(1)[0]) == nil)

        let other = ManualDataSource(answersInResume: { $0.complete(data: nil, response: nil, error: nil) })
        WebService.test(other).GET("/").responseCompleted(.utility) { completions.append($0) }
        #expect(await reason(completions.first(2)[1]) == .invalidResponse)
    }

    @Test("A response that isn't HTTP fails with .invalidResponse")
    func notHTTP() async {
        WebService.test(source).GET("/").responseCompleted(.utility) { completions.append($0) }
        let exchange = await source.exchange
        let response = exchange.request.url.map {
            URLResponse(url: $0, mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
        }
        exchange.complete(data: Data(), response: response)
        #expect(await reason(completions.first(1)[0]) == .invalidResponse)
    }

    @Test("cancel() completes a task whose data source never responds")
    func neverAnswers() async {
        let task = WebService.test(source).GET("/").responseCompleted(.utility) { completions.append($0) }
        #expect(task.state == .running)
        task.cancel()
        #expect(await reason(completions.first(1)[0]) == .cancelled)
        #expect(await source.exchange.calls.first(2) == [.resume, .cancel])
    }

    @Test("If the data source releases its completion without a call, the task fails with .invalidResponse")
    func droppedCompletion() async {
        WebService.test(source).GET("/").responseCompleted(.utility) { completions.append($0) }
        await source.exchange.drop()
        #expect(await reason(completions.first(1)[0]) == .invalidResponse)
    }

    @Test(
        "A task whose data task holds the completion fails with the cause of its failure",
        arguments: [true, false]
    )
    func completionHeldByDataTask(isCancelled: Bool) async {
        struct Silent: SessionDataTaskDataSource {
            struct Exchange: DataTask {
                let completion: @Sendable (Data?, URLResponse?, (any Error)?) -> Void
                func resume() {}
                func suspend() {}
                func cancel() {}
            }

            func dataTask(
                with request: URLRequest,
                completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
            ) -> any DataTask {
                Exchange(completion: completion)
            }
        }
        let task = WebService.test(Silent()).GET("/").responseCompleted(.utility) { completions.append($0) }
        if isCancelled { task.cancel() } else { task.throwError(AppError()) }
        #expect(await reason(completions.first(1)[0]) == (isCancelled ? .cancelled : .thrown))
    }

    @Test("A task completes once if responses, failures and cancels race from many threads")
    func race() async {
        let tasks = (0..<Sanitizer.rounds(2000, sanitized: 400)).map { index in
            WebService.test(source).GET("/\(index)").responseCompleted(.utility) { completions.append($0) }
        }
        let exchanges = await source.exchanges.first(tasks.count)
        DispatchQueue.concurrentPerform(iterations: tasks.count * 4) { index in
            switch index % 4 {
            case 0: tasks[index / 4].cancel()
            case 1: exchanges[index / 4].answer()
            case 2: tasks[index / 4].throwError(AppError())
            default: exchanges[index / 4].complete(error: URLError(.networkConnectionLost))
            }
        }
        _ = await completions.first(tasks.count)
        for task in tasks { _ = await task.result }
        #expect(completions.values.count == tasks.count)
    }

    @Test("If resume() and suspend() race, the data source receives the last call last")
    func signalRace() async {
        for _ in 0..<Sanitizer.rounds(200, sanitized: 40) {
            let source = ManualDataSource()
            var service = WebService.test(source)
            service.startTasksImmediately = false
            let task = service.GET("/")
            DispatchQueue.concurrentPerform(iterations: 8) { index in
                if index % 2 == 0 { task.resume() } else { task.suspend() }
            }
            task.resume()
            let exchange = await source.exchange
            #expect(exchange.calls.values.last == .resume)
            exchange.answer()
            #expect(await reason(task.result) == nil)
        }
    }

    @Test(
        "A data source's error that isn't a URLError is a transport error with the original as its underlying error"
    )
    func foreignError() async {
        WebService.test(source).GET("/").responseCompleted(.utility) { completions.append($0) }
        await source.exchange.complete(error: AppError(code: 9))
        let error = await completions.first(1)[0].failure
        #expect(error?.reason.isTransport == true)
        #expect(error?.underlying as? AppError == AppError(code: 9))
    }

    @Test(
        "A timeout fails with .timedOut and cancels the request",
        arguments: [Request.Option.timeout(.seconds(1))])
    func timeout(option: Request.Option) async {
        let clock = ManualClock()
        var service = WebService.test(source)
        service.clock = clock
        let task = service.GET("/", options: [option])
        clock.advance(by: .milliseconds(999))
        #expect(task.state == .running && clock.pending == 1)
        clock.advance(by: .milliseconds(1))
        #expect(await reason(task.result) == .timedOut)
        #expect(clock.pending == 0)
        #expect(await source.exchange.calls.first(2) == [.resume, .cancel])
    }

    @Test("A task completes once if objects of the app call it during their deinitialization")
    func objectsThatCallBack() async {
        final class Caller: Error {
            let task: ServiceTask
            init(_ task: ServiceTask) { self.task = task }
            deinit { task.cancel() }
        }
        for _ in 0..<20 {
            let source = ManualDataSource(answersInResume: { $0.answer(status: 500) })
            let task = WebService.test(source).GET("/")
            task.throwError(Caller(task))
            task.throwError(AppError())
            task.recover(.utility) { _ in throw Caller(task) }
                .recover(.utility) { _ in Entity(content: 1) }
                .responseCompleted(.utility) { completions.append($0) }
            task.throwError(AppError())
        }
        #expect(await completions.first(20).count == 20)
    }

    @Test("A running task keeps its data source alive")
    func lifetime() async {
        weak var weakSource: ManualDataSource?
        var exchange: ManualExchange?
        do {
            let source = ManualDataSource()
            weakSource = source
            WebService.test(source).GET("/").responseCompleted(.utility) { completions.append($0) }
            exchange = await source.exchange
        }
        #expect(weakSource != nil)
        exchange?.answer()
        _ = await completions.first(1)
    }
}
