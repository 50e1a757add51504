import Foundation
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A claimed body")
struct ClaimTests {
    private let source = StreamingDataSource()
    private var service: WebService { .test(source) }

    /// A task whose body a sink has claimed, and what answers it.
    private func claimed(
        by sink: RecordingSink = RecordingSink()
    ) async throws -> (task: ServiceTask, sink: RecordingSink, exchange: StreamingExchange) {
        let task = service.GET("/")
        try task.claim(sink)
        return (task, sink, await source.exchange)
    }

    @Test("The sink gets head, parts and the end, in order, and gives the entity")
    func inOrder() async throws {
        let (task, sink, exchange) = try await claimed(
            by: RecordingSink(result: .success(Entity(content: 7))))
        exchange.answer("a", "b")
        #expect(try await task.content(as: Int.self) == 7)
        #expect(sink.calls.values == ["begin 200", "receive a", "receive b", "complete"])
        #expect(try await task.response.head.statusCode == 200)
        #expect(try await task.data.isEmpty)
    }

    @Test("A data source of three functions gives head and one part")
    func wholeBody() async throws {
        let source = ManualDataSource()
        let sink = RecordingSink()
        let task = WebService.test(source).GET("/")
        try task.claim(sink)
        await source.exchange.answer("whole")
        #expect(try await task.content(as: Data.self).isEmpty)
        #expect(sink.calls.values == ["begin 200", "receive whole", "complete"])
    }

    @Test("One made while the body is on its way gets what has come")
    func whileOnItsWay() async throws {
        let sink = RecordingSink()
        let task = service.GET("/")
        let exchange = await source.exchange
        exchange.head()
        exchange.send("a")
        await exchange.delivered()
        #expect(!exchange.isStreamed)
        try task.claim(sink)
        _ = await sink.calls.first(2)
        exchange.send("b")
        exchange.end()
        _ = await task.result
        #expect(sink.calls.values == ["begin 200", "receive a", "receive b", "complete"])
    }

    @Test("One made after the end gets what data gives, as one part")
    func afterTheEnd() async throws {
        let task = service.GET("/")
        await source.exchange.answer("a", "b")
        #expect(try await task.text == "ab")
        let sink = RecordingSink()
        try task.claim(sink)
        #expect(await sink.calls.first(3) == ["begin 200", "receive ab", "complete"])
        #expect(try await task.text == "ab")
    }

    @Test("One made after a failure gets the failure")
    func afterFailure() async throws {
        let task = service.GET("/")
        await source.exchange.end(error: URLError(.networkConnectionLost))
        _ = await task.result
        let sink = RecordingSink()
        try task.claim(sink)
        #expect(await sink.calls.first(1) == ["fail The connection to the server was lost."])
    }

    @Test("A second is .invalidRequest, and changes nothing", arguments: [true, false])
    func second(isEarly: Bool) async throws {
        let task = service.GET("/")
        let (first, second) = (RecordingSink(), RecordingSink())
        try task.claim(first)
        if isEarly {
            #expect { try task.claim(second) } throws: { ($0 as? ServiceError)?.reason == .invalidRequest }
        }
        await source.exchange.answer("a")
        _ = await task.result
        #expect { try task.claim(second) } throws: { ($0 as? ServiceError)?.reason == .invalidRequest }
        #expect(first.calls.values == ["begin 200", "receive a", "complete"])
        #expect(second.calls.values.isEmpty)
    }

    @Test("An unacceptable status is never claimed: its body goes through the pipeline")
    func unacceptable() async throws {
        let (task, sink, exchange) = try await claimed()
        exchange.head(422)
        exchange.send(#"{"message":"#)
        exchange.send(#""no"}"#)
        exchange.end()
        let error = try #require(await task.result.error)
        #expect(error.statusCode == 422)
        #expect(error.json["message"].string == "no")
        #expect(await sink.calls.first(1) == ["fail The server declined the request (status 422)."])
    }

    @Test("An unacceptable content type is never claimed")
    func unacceptableContentType() async throws {
        let sink = RecordingSink()
        let task = service.GET("/", options: [.acceptContentTypes(["text/*"])])
        try task.claim(sink)
        await source.exchange.answer("[1]")
        let error = try #require(await task.result.error)
        #expect(error.reason == .contentMismatch(expected: "text/*", actual: "application/json"))
        #expect(error.json == [1])
        #expect(await sink.calls.first(1).first?.hasPrefix("fail") == true)
    }

    @Test("A success skips the pipeline")
    func skipsPipeline() async throws {
        let ran = Recorder<String>()
        var service = service
        service.configureTransformer { (entity: Entity<JSON>) in
            ran.append("ran")
            return entity.content
        }
        let task = service.GET("/")
        try task.claim(RecordingSink())
        await source.exchange.answer("[1]")
        #expect(try await task.content(as: Data.self).isEmpty)
        #expect(ran.values.isEmpty)
    }

    @Test("Parts don't wait for handlers attached earlier")
    func doesNotWait() async throws {
        let sink = RecordingSink()
        let task = service.GET("/").response(.utility) { _, _ in }
        try task.claim(sink)
        let exchange = await source.exchange
        exchange.head()
        exchange.send("a")
        #expect(await sink.calls.first(2) == ["begin 200", "receive a"])
        exchange.end()
        _ = await task.result
    }

    @Test("A begin that throws ends the transfer with that error")
    func throwingBegin() async throws {
        let (task, sink, exchange) = try await claimed(
            by: RecordingSink(beginning: ServiceError(.invalidRequest, userMessage: "taken")))
        exchange.head()
        exchange.send("a")
        let error = try #require(await task.result.error)
        #expect(error.reason == .invalidRequest)
        #expect(error.statusCode == 200)
        #expect(await sink.calls.first(2) == ["begin 200", "fail taken"])
        #expect(await exchange.calls.first(2) == [.resume, .cancel])
    }

    @Test("A finish that fails fails the task")
    func failingFinish() async throws {
        let (task, _, exchange) = try await claimed(
            by: RecordingSink(result: .failure(ServiceError(.thrown, userMessage: "disk full"))))
        exchange.answer("a")
        let error = try #require(await task.result.error)
        #expect(error.userMessage == "disk full")
    }

    @Test("Cancelling the task tells the sink, and stops the data source")
    func cancel() async throws {
        let (task, sink, exchange) = try await claimed()
        exchange.head()
        _ = await sink.calls.first(1)
        task.cancel()
        exchange.send("late")
        #expect(await sink.calls.first(2) == ["begin 200", "fail The request was cancelled."])
        #expect(await exchange.calls.first(2) == [.resume, .cancel])
    }

    @Test("A transfer that breaks off tells the sink")
    func breaksOff() async throws {
        let (task, sink, exchange) = try await claimed()
        exchange.head()
        exchange.send("a")
        exchange.end(error: URLError(.networkConnectionLost))
        let error = try #require(await task.result.error)
        #expect(error.reason == .transport(URLError(.networkConnectionLost)))
        #expect(
            await sink.calls.first(3)
                == ["begin 200", "receive a", "fail The connection to the server was lost."])
    }

    @Test("The user's suspend() and a full sink don't undo each other")
    func suspending() async throws {
        let (task, sink, exchange) = try await claimed()
        exchange.head()
        _ = await sink.calls.first(1)
        sink.flow = .pause
        task.holdBody()
        task.suspend()
        sink.flow = .more
        task.holdBody()
        #expect(await exchange.calls.first(2) == [.resume, .suspend])
        sink.flow = .pause
        task.holdBody()
        task.resume()
        #expect(exchange.calls.values == [.resume, .suspend])
        #expect(task.state == .running)
        sink.flow = .more
        task.holdBody()
        #expect(await exchange.calls.first(3) == [.resume, .suspend, .resume])
        exchange.end()
        _ = await task.result
    }

    @Test("One that is never started ends with its task, and keeps nothing alive")
    func neverStarted() async throws {
        var service = service
        service.startTasksImmediately = false
        weak var weakSink: RecordingSink?
        do {
            let sink = RecordingSink()
            weakSink = sink
            try service.GET("/").claim(sink)
        }
        #expect(weakSink == nil)
    }
}

/// A sink that records its calls.
final class RecordingSink: BodySink {
    let calls = Recorder<String>()
    private let beginning: ServiceError?
    private let result: Result<Entity<any Sendable>, ServiceError>
    private let whileBeginning: @Sendable () -> Void
    private let currentFlow = Lock(Flow.more)

    init(
        beginning: ServiceError? = nil,
        result: Result<Entity<any Sendable>, ServiceError> = .success(Entity(content: Data())),
        whileBeginning: @escaping @Sendable () -> Void = {}
    ) {
        self.beginning = beginning
        self.result = result
        self.whileBeginning = whileBeginning
    }

    func begin(_ head: HTTPURLResponse, for owner: SinkOwner) throws(ServiceError) {
        calls.append("begin \(head.statusCode)")
        whileBeginning()
        if let beginning { throw beginning }
    }

    var flow: Flow {
        get { currentFlow.withLock { $0 } }
        set { currentFlow.withLock { $0 = newValue } }
    }

    func receive(_ bodyPart: Data) -> Flow {
        calls.append("receive \(String(decoding: bodyPart, as: UTF8.self))")
        return flow
    }

    func complete(_ completion: @escaping Completion) {
        calls.append("complete")
        completion(result)
    }

    func fail(_ error: ServiceError) { calls.append("fail \(error.userMessage)") }
}
