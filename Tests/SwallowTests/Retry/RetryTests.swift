import Foundation
import LoopbackServer
import SwallowTesting
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Retries")
struct RetryTests {
    private let clock = ManualClock()

    private func service(
        _ source: any SessionDataTaskDataSource,
        _ change: @escaping @Sendable (inout RetryPolicy) -> Void = { _ in }
    ) -> WebService {
        .scripted(source, clock) {
            $0.retry = RetryPolicy()
            $0.retry.jitter = 1...1
            change(&$0.retry)
        }
    }

    @Test("A request is sent again, by the service's clock, until it succeeds")
    func again() async throws {
        let source = ScriptedDataSource(.status(503), .error(.networkConnectionLost), .status(200))
        let task = service(source).GET("/")
        #expect(source.requests.values.count == 1)
        clock.advance(by: .milliseconds(499))
        #expect(source.requests.values.count == 1)
        clock.advance(by: .milliseconds(1))
        #expect(source.requests.values.count == 2)
        clock.advance(by: .seconds(1))
        #expect(source.requests.values.count == 3)
        #expect(try await task.json == [:])
        #expect(clock.pending == 0)
    }

    @Test("The last error wins, and says how often the request was sent")
    func lastError() async {
        let source = ScriptedDataSource(
            .error(.networkConnectionLost), .status(503), .status(429, body: #"{"a":1}"#))
        let task = service(source).GET("/")
        clock.advance(by: .seconds(60))
        let error = await task.finalError
        #expect(error?.statusCode == 429)
        #expect(error?.json["a"].int == 1)
        #expect(error?.attempts == 3)
        #expect(source.requests.values.count == 3)
        let lost = ScriptedDataSource(
            .status(503), .error(.cannotConnectToHost), .error(.networkConnectionLost))
        let failing = service(lost).GET("/")
        clock.advance(by: .seconds(60))
        #expect(await failing.finalError?.reason == .transport(URLError(.networkConnectionLost)))
        #expect(await failing.finalError?.attempts == 3)
    }

    @Test("By default nothing is sent again, and costs no relay")
    func never() async {
        let source = ScriptedDataSource(.status(503))
        let task = WebService.scripted(source, clock) { _ in }.GET("/")
        #expect(await task.finalError?.attempts == 1)
        #expect(clock.pending == 0 && source.requests.values.count == 1)
        #expect(!(task.dataTask(with: .to("http://h"), over: source) { _, _, _ in } is RelayDataTask))
    }

    @Test("An option has the last word", arguments: [true, false])
    func option(isOn: Bool) async {
        let source = ScriptedDataSource(.status(503))
        let service = isOn ? WebService.scripted(source, clock) { _ in } : service(source)
        let task = service.GET("/", options: [.retry(isOn ? RetryPolicy() : .never)])
        clock.advance(by: .seconds(60))
        #expect(await task.finalError?.statusCode == 503)
        #expect(source.requests.values.count == (isOn ? 3 : 1))
    }

    @Test("Cancelling ends a wait at once")
    func cancel() async {
        let source = ScriptedDataSource(.status(503), .status(200))
        let task = service(source).GET("/")
        #expect(clock.pending == 1)
        task.cancel()
        let error = await task.finalError
        #expect(error?.isCancelled == true)
        #expect(error?.attempts == 1)
        #expect(clock.pending == 0)
        clock.advance(by: .seconds(60))
        #expect(source.requests.values.count == 1)
    }

    @Test("A wait is suspended with its task")
    func suspend() async throws {
        let source = ScriptedDataSource(.status(503), .status(200))
        let task = service(source).GET("/")
        task.suspend()
        clock.advance(by: .seconds(60))
        #expect(source.requests.values.count == 1)
        task.resume()
        #expect(try await task.json == [:])
        #expect(source.requests.values.count == 2)
    }

    @Test("The time for the whole request holds: what would end too late isn't waited for")
    func deadline() async {
        let source = ScriptedDataSource(.status(503, ["Retry-After": "5"]))
        let task = service(source).GET("/", options: [.timeout(.seconds(5))])
        #expect(await task.finalError?.statusCode == 503)
        #expect(source.requests.values.count == 1)
        let silent = ScriptedDataSource(.status(503), .silence)
        let late = service(silent).GET("/", options: [.timeout(.seconds(5))])
        clock.advance(by: .seconds(5))
        #expect(await late.finalError?.reason == .timedOut)
        #expect(await late.finalError?.attempts == 2)
        #expect(clock.pending == 0)
    }

    @Test("Retry-After is waited for", arguments: ["7", "Tue, 01 Jan 2030 00:00:07 GMT"])
    func retryAfter(field: String) async throws {
        let source = ScriptedDataSource(.status(429, ["Retry-After": field]), .status(200))
        let task = service(source).GET("/")
        clock.advance(by: .milliseconds(6999))
        #expect(source.requests.values.count == 1)
        clock.advance(by: .milliseconds(1))
        #expect(source.requests.values.count == 2)
        #expect(try await task.json == [:])
    }

    @Test("A body in memory goes out again, one of a foreign stream doesn't", arguments: [true, false])
    func body(isStream: Bool) async {
        let source = ScriptedDataSource(.status(503))
        var service = service(source)
        if isStream {
            service.configure { $0.adaptRequest { $0.httpBodyStream = InputStream(data: Data("x".utf8)) } }
        }
        let task = service.PUT("/", options: [.body(Data("x".utf8), contentType: "text/plain")])
        clock.advance(by: .seconds(60))
        #expect(await task.finalError?.attempts == (isStream ? 1 : 3))
        let bodies = source.requests.values.map(\.httpBody)
        #expect(isStream ? bodies.count == 1 : bodies == Array(repeating: Data("x".utf8), count: 3))
    }

    @Test("Closures of adaptRequest run once a task")
    func adaptation() async {
        let source = ScriptedDataSource(.status(503))
        let runs = Recorder<Void>()
        var service = service(source)
        service.configure { $0.adaptRequest { _ in runs.append(()) } }
        let task = service.GET("/")
        clock.advance(by: .seconds(60))
        #expect(await task.finalError?.attempts == 3)
        #expect(runs.values.count == 1)
    }

    @Test("After an outage of 1 000 tasks the server has seen at most (1 + 0.1) times their requests")
    func outage() async {
        let source = ScriptedDataSource(.status(503))
        let service = service(source)
        let tasks = (0..<1000).map { _ in service.GET("/") }
        clock.advance(by: .seconds(3600))
        for task in tasks { #expect(await task.finalError?.statusCode == 503) }
        #expect(source.requests.values.count == 1100)
        #expect(clock.pending == 0)
    }

    @Test("The log tells of each attempt")
    func log() async {
        let source = ScriptedDataSource(.status(503), .error(.networkConnectionLost), .status(200))
        let events = Recorder<LogEvent>()
        var service = service(source)
        service.log = { events.append($0) }
        let task = service.GET("/")
        clock.advance(by: .seconds(60))
        _ = await task.result
        let retries = events.values.compactMap { if case .retry(_, let retry) = $0 { retry } else { nil } }
        #expect(retries.map(\.attempt) == [2, 3])
        #expect(retries.map(\.wait) == [.milliseconds(500), .seconds(1)])
        #expect(retries.map(\.statusCode) == [503, nil])
        let texts = events.values.map(\.description)
        #expect(texts.contains { $0.hasSuffix("status 503, attempt 2 follows in 500.0 ms") })
        #expect(
            texts.contains { $0.contains("URLError -1005") && $0.contains("attempt 3 follows in 1.00 s") })
        #expect(!events.values.contains { $0.level == .error })
    }

    @Test("Chains, futures and repositories get what the last attempt gave")
    func everywhere() async throws {
        let source = ScriptedDataSource { _, index in
            index % 2 == 0 ? .status(503) : .status(200, body: #"{"id":1}"#)
        }
        let service = service(source) { $0.backoff = .init(first: .zero) }
        let chained = Recorder<Int?>()
        service.GET("/").responseJSON(.utility) { chained.append($0["id"].int) }
        clock.advance(by: .zero)
        #expect(await chained.first(1) == [1])
        let future = service.future(as: [String: Int].self) { $0.GET("/") }
        future.start { _ in }
        clock.advance(by: .zero)
        #expect(source.requests.values.count == 4)
    }

    @Test("A wait of nothing takes no thread, and no clock")
    func noWait() async throws {
        let source = ScriptedDataSource(.status(503), .status(503), .status(200))
        let task = service(source) { $0.backoff = .init(first: .zero) }.GET("/")
        #expect(clock.pending == 0)
        #expect(try await task.json == [:])
    }

    @Test("Over the standard data source", arguments: ["/flaky", "/lost"])
    func real(path: String) async throws {
        let count = Lock(0)
        let server = try LoopbackServer { request in
            let index = count.withLock { count in
                count += 1
                return count
            }
            if index == 3 { return .respond(.json(#"{"done":true}"#)) }
            return request.path == "/flaky" ? .respond(.json("{}", status: 503)) : .resetBeforeHead
        }
        var service = WebService(baseURLString: server.baseURLString)
        service.configure {
            $0.retry = RetryPolicy()
            $0.retry.backoff = .init(first: .milliseconds(1))
        }
        #expect(try await service.GET("\(raw: path)").json["done"].bool == true)
        #expect(server.requests.count == 3)
    }

    @Test("Once a part of a response was accepted, the task never begins again")
    func streamed() async {
        let source = StreamingDataSource()
        let task = service(source) { $0.backoff = .init(first: .zero) }.GET("/")
        let parts = Recorder<ResponsePart>()
        let ended = Recorder<(any Error)?>()
        let relay = task.dataTask(with: .to("http://h"), over: source) { _, _, error in ended.append(error) }
        relay.stream { parts.append($0) }
        relay.resume()
        let rejected = await source.exchange(1)
        rejected.head(503)
        rejected.send("rejected")
        let accepted = await source.exchange(2)
        accepted.head()
        accepted.send("a")
        _ = await parts.first(2)
        accepted.end(error: URLError(.networkConnectionLost))
        #expect(await ended.first(1).first.flatMap { $0 as? URLError }?.code == .networkConnectionLost)
        #expect(source.exchanges.values.count == 3)
        let texts = parts.values.map { part in
            if case .bytes(let bytes) = part { String(decoding: bytes, as: UTF8.self) } else { "head" }
        }
        #expect(texts == ["head", "a"])
        task.cancel()
    }
}
