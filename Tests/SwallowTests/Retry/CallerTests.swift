import Foundation
import SwallowTesting
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("The caller's task-local values and priority")
struct CallerTests {
    @TaskLocal private static var trace = "none"

    private struct Seen: Sendable, Equatable {
        var trace: String
        var priority: TaskPriority

        static var here: Seen { Seen(trace: CallerTests.trace, priority: Task.currentPriority) }
    }

    private let seen = Recorder<Seen>()
    private let expected = Seen(trace: "mine", priority: .utility)

    private struct Signer: Authenticator {
        let seen: Recorder<Seen>
        func authorize(_ request: inout URLRequest) async throws { seen.append(.here) }
        func refresh(after response: HTTPURLResponse, to request: URLRequest) async throws {}
    }

    /// Starts a request in a Swift task with a trace. The Swift task has ended when the request continues.
    private func start(_ service: WebService) async -> ServiceTask {
        await Task(priority: .utility) { Self.$trace.withValue("mine") { service.GET("/") } }.value
    }

    private func intercepted(_ source: ScriptedDataSource) -> some SessionDataTaskDataSource {
        source.intercepting { [seen] request, next in
            seen.append(.here)
            return try await next(request)
        }
    }

    @Test("An interceptor has the caller's values in every attempt, even after a delay")
    func retries() async throws {
        let (clock, source) = (WaitingClock(), ScriptedDataSource(.status(503), .status(503), .status(200)))
        let service = WebService.scripted(intercepted(source), clock) {
            $0.retry = RetryPolicy()
            $0.retry.jitter = 1...1
        }
        let task = await start(service)
        for wait in 1...2 {
            await clock.waiting(wait)
            clock.advance(by: .seconds(2))
        }
        #expect(try await task.json == [:])
        #expect(await seen.first(3) == Array(repeating: expected, count: 3))
    }

    @Test("An interceptor below another adapter has the caller's values")
    func below() async throws {
        let source = ScriptedDataSource(.status(503), .status(200))
        let service = WebService.scripted(intercepted(source).coalescing()) {
            $0.retry = RetryPolicy()
            $0.retry.backoff = .init(first: .zero)
        }
        #expect(try await start(service).json == [:])
        #expect(seen.values == [expected, expected])
    }

    @Test("An authenticator has the caller's values in every attempt")
    func authenticator() async throws {
        let source = ScriptedDataSource(.status(503), .status(401), .status(200))
        let seen = seen
        let service = WebService.scripted(source) {
            $0.authenticator = Signer(seen: seen)
            $0.retry = RetryPolicy()
            $0.retry.backoff = .init(first: .zero)
        }
        #expect(try await start(service).json == [:])
        #expect(seen.values == Array(repeating: expected, count: 3))
    }

    @Test("An interceptor has the caller's values after a token was fetched and a cache was read")
    func firstAttempt() async throws {
        let door = Door()
        let service = WebService.scripted(intercepted(ScriptedDataSource(.status(200)))) {
            $0.authenticator = TokenAuthenticator { _ in
                await door.pass()
                return .init("a")
            }
            $0.pipeline[.parsing].cacheUsing(MemoryCache())
        }
        let task = await start(service)
        door.open()
        #expect(try await task.json == [:])
        #expect(seen.values == [expected])
    }

    @Test(
        "An interceptor has the caller's values after a cache with a queue missed, and after an async adapter",
        arguments: [true, false])
    func missed(isAdapted: Bool) async throws {
        let (cache, door) = (ByteCache(), Door())
        let service = WebService.scripted(intercepted(ScriptedDataSource(.status(200)))) {
            $0.cachePolicy = .standard
            $0.pipeline[.rawData].cacheUsing(cache)
            $0.pipeline[.parsing].cacheUsing(MemoryCache())
            if isAdapted { $0.adaptRequest { _ in await door.pass() } }
        }
        cache.workQueue.suspend()
        let task = await start(service)
        door.open()
        cache.workQueue.resume()
        #expect(try await task.json == [:])
        #expect(seen.values == [expected])
    }

    @Test("An interceptor has the caller's values after the pipeline has rejected a stored response")
    func refused() async throws {
        let runs = Recorder<Void>()
        let source = ScriptedDataSource(.status(200), .status(200))
        let service = WebService.scripted(intercepted(source)) {
            $0.cachePolicy = .preferCache(maxAge: .seconds(86_400))
            $0.pipeline[.rawData].cacheUsing(MemoryCache())
            $0.pipeline[.model].add(
                ResponseContentTransformer { (entity: Entity<JSON>) in
                    runs.append(())
                    if runs.values.count == 2 { throw URLError(.cannotParseResponse) }
                    return entity.content
                })
        }
        for _ in 0..<2 { #expect(try await start(service).json == [:]) }
        #expect(seen.values == [expected, expected])
    }

    @Test("An interceptor has the service's clock in every attempt")
    func clock() async throws {
        let clock = ManualClock()
        let source = ScriptedDataSource(.status(503), .status(200))
        let clocks = Recorder<Bool>()
        let base = source.intercepting { request, next in
            clocks.append(TransferContext.currentClock is ManualClock)
            return try await next(request)
        }
        let service = WebService.scripted(base, clock) {
            $0.retry = RetryPolicy()
            $0.retry.backoff = .init(first: .zero)
        }
        #expect(try await start(service).json == [:])
        #expect(clocks.values == [true, true])
    }

    @Test("Cancelling a task cancels the interceptor that runs for it")
    func cancelled() async throws {
        let (source, gate) = (ScriptedDataSource(.status(503), .status(200)), Recorder<Void>())
        let ended = Event()
        let base = source.intercepting { request, next in
            gate.append(())
            if gate.values.count == 2 {
                await withTaskCancellationHandler {
                    await ended.wait()
                } onCancel: {
                    ended.happen()
                }
            }
            return try await next(request)
        }
        let service = WebService.scripted(base) {
            $0.retry = RetryPolicy()
            $0.retry.backoff = .init(first: .zero)
        }
        let task = await start(service)
        _ = await gate.first(2)
        task.cancel()
        await ended.wait()
        #expect(await task.finalError?.isCancelled == true)
    }

    @Test("A request over the standard data source doesn't keep its caller's values")
    func plain() async throws {
        var service = WebService(baseURLString: "http://127.0.0.1:1")
        service.unhandledError = nil
        service.startTasksImmediately = false
        service.configure { $0.retry = .standard }
        let task = service.GET("/").resume()
        #expect(task.caller == nil)
        task.cancel()
    }
}
