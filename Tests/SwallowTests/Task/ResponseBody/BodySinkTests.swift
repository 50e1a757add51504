import Foundation
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A body with a sink")
struct BodySinkTests {
    private let source = StreamingDataSource()
    private var service: WebService { .test(source) }

    private func writing(
        to sink: RecordingSink = RecordingSink()
    ) async throws -> (task: ServiceTask, sink: RecordingSink, exchange: StreamingExchange) {
        let task = service.GET("/")
        try task.writeBody(to: sink)
        return (task, sink, await source.exchange)
    }

    @Test("A sink receives the head, the body parts and the completion in order, and returns the entity")
    func inOrder() async throws {
        let (task, sink, exchange) = try await writing(
            to: RecordingSink(result: .success(Entity(content: 7))))
        exchange.answer("a", "b")
        #expect(try await task.content(as: Int.self) == 7)
        #expect(sink.calls.values == ["begin 200", "receive a", "receive b", "complete"])
        #expect(try await task.response.head.statusCode == 200)
        #expect(try await task.data.isEmpty)
    }

    @Test("If a data source delivers only complete bodies, a sink receives one body part")
    func wholeBody() async throws {
        let source = ManualDataSource()
        let sink = RecordingSink()
        let task = WebService.test(source).GET("/")
        try task.writeBody(to: sink)
        await source.exchange.answer("whole")
        #expect(try await task.content(as: Data.self).isEmpty)
        #expect(sink.calls.values == ["begin 200", "receive whole", "complete"])
    }

    @Test("A sink that is set while the body is collected receives the bytes collected so far")
    func whileOnItsWay() async throws {
        let sink = RecordingSink()
        let task = service.GET("/")
        let exchange = await source.exchange
        exchange.head()
        exchange.send("a")
        await exchange.delivered()
        #expect(!exchange.isStreamed)
        try task.writeBody(to: sink)
        _ = await sink.calls.first(2)
        exchange.send("b")
        exchange.end()
        _ = await task.result
        #expect(sink.calls.values == ["begin 200", "receive a", "receive b", "complete"])
    }

    @Test("A sink that is set after the task completes receives the body as one body part")
    func afterTheEnd() async throws {
        let task = service.GET("/")
        await source.exchange.answer("a", "b")
        #expect(try await task.text == "ab")
        let sink = RecordingSink()
        try task.writeBody(to: sink)
        #expect(await sink.calls.first(3) == ["begin 200", "receive ab", "complete"])
        #expect(try await task.text == "ab")
    }

    @Test("A sink that is set after a failure receives that failure")
    func afterFailure() async throws {
        let task = service.GET("/")
        await source.exchange.end(error: URLError(.networkConnectionLost))
        _ = await task.result
        let sink = RecordingSink()
        try task.writeBody(to: sink)
        #expect(await sink.calls.first(1) == ["fail The connection to the server was lost."])
    }

    @Test("Setting a second sink fails with .invalidRequest and changes nothing", arguments: [true, false])
    func second(isEarly: Bool) async throws {
        let task = service.GET("/")
        let (first, second) = (RecordingSink(), RecordingSink())
        try task.writeBody(to: first)
        if isEarly {
            #expect { try task.writeBody(to: second) } throws: {
                ($0 as? ServiceError)?.reason == .invalidRequest
            }
        }
        await source.exchange.answer("a")
        _ = await task.result
        #expect { try task.writeBody(to: second) } throws: {
            ($0 as? ServiceError)?.reason == .invalidRequest
        }
        #expect(first.calls.values == ["begin 200", "receive a", "complete"])
        #expect(second.calls.values.isEmpty)
    }

    @Test("The body of an unacceptable status goes through the pipeline, and the sink receives the failure")
    func unacceptable() async throws {
        let (task, sink, exchange) = try await writing()
        exchange.head(422)
        exchange.send(#"{"message":"#)
        exchange.send(#""no"}"#)
        exchange.end()
        let error = try #require(await task.result.error)
        #expect(error.statusCode == 422)
        #expect(error.json["message"].string == "no")
        #expect(await sink.calls.first(1) == ["fail The server declined the request (status 422)."])
    }

    @Test(
        "The body of an unacceptable content type goes through the pipeline, and the sink receives the failure"
    )
    func unacceptableContentType() async throws {
        let sink = RecordingSink()
        let task = service.GET("/", options: [.acceptableContentTypes(["text/*"])])
        try task.writeBody(to: sink)
        await source.exchange.answer("[1]")
        let error = try #require(await task.result.error)
        #expect(error.reason == .contentMismatch(expected: "text/*", actual: "application/json"))
        #expect(error.json == [1])
        #expect(await sink.calls.first(1).first?.hasPrefix("fail") == true)
    }

    @Test("A success in a sink skips the pipeline")
    func skipsPipeline() async throws {
        let ran = Recorder<String>()
        var service = service
        service.configureTransformer { (entity: Entity<JSON>) in
            ran.append("ran")
            return entity.content
        }
        let task = service.GET("/")
        try task.writeBody(to: RecordingSink())
        await source.exchange.answer("[1]")
        #expect(try await task.content(as: Data.self).isEmpty)
        #expect(ran.values.isEmpty)
    }

    @Test("Body parts don't wait for handlers that were attached earlier")
    func doesNotWait() async throws {
        let sink = RecordingSink()
        let task = service.GET("/").response(.utility) { _, _ in }
        try task.writeBody(to: sink)
        let exchange = await source.exchange
        exchange.head()
        exchange.send("a")
        #expect(await sink.calls.first(2) == ["begin 200", "receive a"])
        exchange.end()
        _ = await task.result
    }

    @Test("If a sink can't complete the body, the task fails")
    func failingCompletion() async throws {
        let (task, _, exchange) = try await writing(
            to: RecordingSink(result: .failure(ServiceError(.thrown, userMessage: "disk full"))))
        exchange.answer("a")
        let error = try #require(await task.result.error)
        #expect(error.userMessage == "disk full")
    }

    @Test("Cancelling the task fails the sink and cancels the data task")
    func cancel() async throws {
        let (task, sink, exchange) = try await writing()
        exchange.head()
        _ = await sink.calls.first(1)
        task.cancel()
        exchange.send("late")
        #expect(await sink.calls.first(2) == ["begin 200", "fail The request was cancelled."])
        #expect(await exchange.calls.first(2) == [.resume, .cancel])
    }

    @Test("A failed transfer fails the sink")
    func failedTransfer() async throws {
        let (task, sink, exchange) = try await writing()
        exchange.head()
        exchange.send("a")
        exchange.end(error: URLError(.networkConnectionLost))
        let error = try #require(await task.result.error)
        #expect(error.reason == .transport(URLError(.networkConnectionLost)))
        #expect(
            await sink.calls.first(3)
                == ["begin 200", "receive a", "fail The connection to the server was lost."])
    }

    @Test("The transfer is resumed only if the sink has room and the caller hasn't suspended the task")
    func suspending() async throws {
        let (task, sink, exchange) = try await writing()
        exchange.head()
        _ = await sink.calls.first(1)
        sink.flow = .pause
        task.updateSinkFlow()
        task.suspend()
        sink.flow = .more
        task.updateSinkFlow()
        #expect(await exchange.calls.first(2) == [.resume, .suspend])
        sink.flow = .pause
        task.updateSinkFlow()
        task.resume()
        #expect(exchange.calls.values == [.resume, .suspend])
        #expect(task.state == .running)
        sink.flow = .more
        task.updateSinkFlow()
        #expect(await exchange.calls.first(3) == [.resume, .suspend, .resume])
        exchange.end()
        _ = await task.result
    }

    @Test("The sink of a task that is never started is released with the task")
    func neverStarted() async throws {
        var service = service
        service.startTasksImmediately = false
        weak var weakSink: RecordingSink?
        do {
            let sink = RecordingSink()
            weakSink = sink
            try service.GET("/").writeBody(to: sink)
        }
        #expect(weakSink == nil)
    }
}

final class RecordingSink: BodySink {
    let calls = Recorder<String>()
    private let result: Result<Entity<any Sendable>, ServiceError>?
    private let hasFailed = Lock(false)
    private let currentFlow = Lock(Flow.more)
    private let onAccept: @Sendable () -> Void

    /// - Parameters:
    ///   - result: The result of the complete body. If it is `nil`, the sink never calls its completion.
    ///   - onAccept: Called before the sink decides whether it accepts a body.
    init(
        result: Result<Entity<any Sendable>, ServiceError>? = .success(Entity(content: Data())),
        onAccept: @escaping @Sendable () -> Void = {}
    ) {
        self.result = result
        self.onAccept = onAccept
    }

    func accepts(_ head: HTTPURLResponse, isSuccess: Bool) -> Bool {
        onAccept()
        return isSuccess
    }

    /// Records a call, unless the sink has failed before.
    private func record(_ call: String, fails: Bool = false) {
        hasFailed.withLock { hasFailed in
            if !hasFailed { calls.append(call) }
            hasFailed = hasFailed || fails
        }
    }

    func begin(_ head: HTTPURLResponse, for owner: SinkOwner) { record("begin \(head.statusCode)") }

    var flow: Flow {
        get { currentFlow.withLock { $0 } }
        set { currentFlow.withLock { $0 = newValue } }
    }

    func receive(_ bodyPart: Data) { record("receive \(String(decoding: bodyPart, as: UTF8.self))") }

    func complete(_ completion: @escaping Completion) {
        record("complete")
        if let result { completion(result) }
    }

    func fail(with error: ServiceError, completion: @escaping @Sendable () -> Void) {
        record("fail \(error.userMessage)", fails: true)
        completion()
    }
}
