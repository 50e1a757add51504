import Foundation
import TestSupport
import Testing

import Swallow

@Suite("responseStream")
struct ResponseStreamTests {
    private let source = StreamingDataSource()
    private var service: WebService { .test(source) }

    @Test("Body parts arrive in order, one at a time, before the handlers after it run")
    func inOrder() async throws {
        let log = Recorder<String>()
        service.GET("/")
            .responseStream(.utility) { part in log.append(String(decoding: part, as: UTF8.self)) }
            .response(.utility) { head, data in log.append("\(head.statusCode) \(data.count)") }
        await source.exchange.answer("a", "b", "c")
        #expect(await log.first(4) == ["a", "b", "c", "200 0"])
    }

    @Test("A handler on the main actor receives the body parts in order")
    @MainActor func mainActor() async throws {
        var log: [String] = []
        let task = service.GET("/").responseStream { part in log.append(String(decoding: part, as: UTF8.self))
        }
        await source.exchange.answer("a", "b")
        _ = await task.result
        #expect(log == ["a", "b"])
    }

    @Test("A slow handler pauses the data source")
    func backPressure() async throws {
        let (entered, proceed) = (Event(), DispatchSemaphore(value: 0))
        let counts = Recorder<Int>()
        let task = service.GET("/").responseStream(.patient) { part in
            counts.append(part.count)
            if counts.values.count == 1 {
                entered.happen()
                proceed.wait()
            }
        }
        let exchange = await source.exchange
        exchange.head()
        exchange.send("a")
        await entered.wait()
        for _ in 0..<8 { exchange.send(Data(repeating: 1, count: 100 * 1024)) }
        exchange.end()
        #expect(await exchange.calls.first(2) == [.resume, .suspend])
        await exchange.delivered()
        #expect(exchange.waiting >= 5)
        #expect(counts.values.count == 1)
        proceed.signal()
        _ = await task.result
        let total = counts.values.reduce(0, +)
        #expect(total == 819_201)
    }

    @Test(
        "A handler that throws fails the task with its error and cancels the transfer",
        arguments: [true, false])
    func throwing(isLast: Bool) async throws {
        let task = service.GET("/").responseStream(.utility) { _ in throw AppError(code: 3) }
        let exchange = await source.exchange
        exchange.head()
        exchange.send("a")
        if isLast { exchange.end() }
        let error = try #require(await task.result.error)
        #expect(error.reason == .thrown)
        #expect(error.underlying as? AppError == AppError(code: 3))
        #expect(error.statusCode == 200)
        if !isLast { #expect(await exchange.calls.first(2) == [.resume, .cancel]) }
    }

    @Test("A handler attached after the body arrived receives it as one body part, in its place in the chain")
    func late() async throws {
        let log = Recorder<String>()
        let task = service.GET("/")
        await source.exchange.answer("a", "b")
        _ = await task.result
        task.responseStream(.utility) { part in log.append(String(decoding: part, as: UTF8.self)) }
            .responseText(.utility) { log.append("text \($0)") }
        #expect(await log.first(2) == ["ab", "text ab"])
    }

    @Test("A second responseStream fails the chain with .invalidRequest")
    func second() async throws {
        let log = Recorder<String>()
        let task = service.GET("/")
            .responseStream(.utility) { part in log.append(String(decoding: part, as: UTF8.self)) }
            .responseStream(.utility) { _ in log.append("second") }
        await source.exchange.answer("a")
        #expect(await task.result.error?.reason == .invalidRequest)
        #expect(log.values == ["a"])
    }

    @Test("After cancel() on the handler's actor, the handler receives no body part")
    @MainActor func cancel() async throws {
        var count = 0
        let task = service.GET("/").responseStream { _ in count += 1 }
        let exchange = await source.exchange
        exchange.head()
        exchange.send("a")
        await exchange.delivered()
        let before = count
        task.cancel()
        #expect(await task.result.error?.reason == .cancelled)
        #expect(count == before)
    }

    @Test("A failure without an error handler is reported as unhandled")
    func unhandled() async throws {
        let errors = Recorder<ServiceError>()
        var service = service
        service.unhandledError = { errors.append($0) }
        service.GET("/").responseStream(.utility) { _ in }
        await source.exchange.end(error: URLError(.networkConnectionLost))
        #expect(await errors.first(1)[0].reason == .transport(URLError(.networkConnectionLost)))
    }
}
