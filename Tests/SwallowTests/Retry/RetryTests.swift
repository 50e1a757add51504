import Foundation
import LoopbackServer
import SwallowResources
import SwallowTesting
import TestSupport
import Testing

import Swallow

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

    @Test(
        "Where the network is gone a request waits for it, for as long as it may in all", arguments: [5, 1])
    func offline(attempts: Int) async throws {
        let source = ScriptedDataSource { _, index in
            index < 4 ? .error(.notConnectedToInternet) : .status(200)
        }
        let service = WebService.scripted(source, clock) {
            $0.retry = .whenOnline(within: .milliseconds(attempts == 5 ? 7500 : 400))
            $0.retry.maximumRetries = 0
        }
        let task = service.GET("/")
        clock.advance(by: .seconds(8))
        let result = await task.result
        #expect(((try? result.get()) != nil) == (attempts == 5))
        #expect(source.requests.values.count == (attempts == 5 ? 5 : 2) && clock.pending == 0)
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

    @Test("What can't be read of a later attempt's response has the attempts, too, however it is read")
    func unparsable() async {
        let source = ScriptedDataSource { _, index in index % 2 == 0 ? .status(503) : .status(200, body: "{")
        }
        let service = service(source) { $0.backoff = .init(first: .zero) }
        let errors = Recorder<ServiceError>()
        service.GET("/").responseJSON(.utility) { _ in }.responseError(.utility) { errors.append($0) }
        service.GET("/").responseDecoded(.utility, as: [Int].self) { _ in }
            .responseError(.utility) { errors.append($0) }
        service.GET("/").response(.utility) { _, _ in throw AppError() }
            .responseError(.utility) { errors.append($0) }
        #expect(await errors.first(3).map(\.attempts) == [2, 2, 2])
        let task = service.GET("/")
        let read = await #expect(throws: ServiceError.self) { try await task.json }
        #expect(read?.reason == .unparsable && read?.attempts == 2)
        let decoded = await #expect(throws: ServiceError.self) { try await task.decoded(as: [Int].self) }
        #expect(decoded?.attempts == 2)
    }

    @Test("By default nothing is sent again")
    func never() async {
        let source = ScriptedDataSource(.status(503))
        let task = WebService.scripted(source, clock) { _ in }.GET("/")
        #expect(await task.finalError?.attempts == 1)
        #expect(clock.pending == 0 && source.requests.values.count == 1)
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

    @Test(
        "If Retry-After requests more than the policy's limit, the task fails at once, and the error states the delay",
        arguments: ["120", "Tue, 01 Jan 2030 00:02:00 GMT"])
    func retryAfterBeyondLimit(field: String) async throws {
        let source = ScriptedDataSource(.status(429, ["Retry-After": field]))
        for (retry, isLimited) in [(RetryPolicy.standard, true), (.never, false)] {
            let error = try #require(
                await service(source).GET("/", options: [.retry(retry)]).result.failure)
            #expect(error.statusCode == 429 && error.attempts == 1)
            #expect(error.description.contains("requests a delay of 120.0 seconds (Retry-After)"))
            #expect(error.description.contains("limit of 60.0 seconds") == isLimited)
        }
        #expect(source.requests.values.count == 2 && clock.pending == 0)
        var patient = RetryPolicy()
        patient.retryAfterLimit = .seconds(300)
        let task = service(source).GET("/", options: [.retry(patient)])
        clock.advance(by: .seconds(120))
        #expect(source.requests.values.count == 4)
        clock.advance(by: .seconds(120))
        #expect(await task.finalError?.attempts == 3)
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
        let retries = events.values.compactMap { event in
            if case .retry(_, let attempt, let wait, _) = event { (attempt, wait) } else { nil }
        }
        #expect(retries.map(\.0) == [2, 3])
        #expect(retries.map(\.1) == [.milliseconds(500), .seconds(1)])
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

    @Test("A request is sent again over the standard data source, too", arguments: ["/flaky", "/lost"])
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
        let task = service.GET("\(raw: path)")
        #expect(try await task.json["done"].bool == true)
        #expect(server.requests.count == 3)
        // A transport may measure nothing.
        #expect(task.metrics?.attempts ?? 3 == 3)
    }

    @Test(
        "Once a part of a response was accepted, the task never begins again; of a rejected one nothing is seen"
    )
    func streamed() async {
        let source = StreamingDataSource()
        let parts = Recorder<String>()
        let task = service(source) { $0.backoff = .init(first: .zero) }.GET("/")
            .responseStream(.utility) { parts.append(String(decoding: $0, as: UTF8.self)) }
        let rejected = await source.exchange(0)
        rejected.head(503)
        rejected.send("rejected")
        let accepted = await source.exchange(1)
        accepted.head()
        accepted.send("a")
        #expect(await parts.first(1) == ["a"])
        rejected.send("late")
        rejected.end()
        await rejected.delivered()
        accepted.end(error: URLError(.networkConnectionLost))
        let error = await task.finalError
        #expect(error?.reason == .transport(URLError(.networkConnectionLost)))
        #expect(error?.attempts == 2)
        #expect(parts.values == ["a"])
        #expect(source.exchanges.values.count == 2)
    }

    @Test("The body of a rejected attempt may come up to 64 KB, then its transfer is cancelled")
    func rejectedBody() {
        let source = PartsDataSource()
        let task = service(source) { $0.backoff = .init(first: .zero) }.GET("/")
        let body = task.body
        let rejected = source.tasks.values[0]
        rejected.give(head: 503)
        #expect(source.tasks.values.count == 2 && source.tasks.values[1].isStreamed)
        rejected.give(String(repeating: "x", count: 64 * 1024))
        #expect(rejected.calls.values == [.resume])
        rejected.give("x")
        #expect(rejected.calls.values == [.resume, .cancel])
        #expect(task.state == .running)
        withExtendedLifetime(body) { task.cancel() }
        #expect(source.tasks.values[1].calls.values == [.resume, .cancel])
    }

    @Test("Of several rejected attempts only the latest may come to its end")
    func rejectedTwice() {
        let source = PartsDataSource()
        let task = service(source) { $0.backoff = .init(first: .zero) }.GET("/")
        let body = task.body
        for index in 0..<2 { source.tasks.values[index].give(head: 503) }
        #expect(source.tasks.values.map(\.calls.values) == [[.resume, .cancel], [.resume], [.resume]])
        withExtendedLifetime(body) { task.cancel() }
        // What is left of a rejected response doesn't outlive the task.
        #expect(
            source.tasks.values.dropFirst().map(\.calls.values) == [[.resume, .cancel], [.resume, .cancel]])
    }

    @Test("A head that comes while the task is suspended is judged; the next attempt waits for resume()")
    func suspendedHead() {
        let source = PartsDataSource()
        let task = service(source) { $0.backoff = .init(first: .zero) }.GET("/")
        let body = task.body
        task.suspend()
        source.tasks.values[0].give(head: 503)
        // What is suspended would never come to its end.
        #expect(source.tasks.values.map(\.calls.values) == [[.resume, .suspend, .cancel], []])
        task.resume()
        #expect(source.tasks.values[1].calls.values == [.resume])
        withExtendedLifetime(body) { task.cancel() }
    }
}
