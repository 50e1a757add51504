import Foundation
import LoopbackServer
import SwallowTesting
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("An exchange's interceptors, follow-up policies and deadlines")
struct ExchangePromiseTests {
    // MARK: - Interceptors

    /// The requests and responses that an interceptor received: each request's credential and each response's
    /// status.
    private let seen = Recorder<String>()

    private func noting(_ base: some SessionDataTaskDataSource) -> some SessionDataTaskDataSource {
        base.intercepting { [seen] request, next in
            let response = try await next(request)
            seen.append(
                "\(request.value(forHTTPHeaderField: "Authorization") ?? "none") \(response.head.statusCode)")
            return response
        }
    }

    @Test("An interceptor runs once for each attempt, with the authorized request, and receives rejections")
    func interceptor() async throws {
        let source = ScriptedDataSource(.status(401), .status(503), .status(200))
        let service = WebService.scripted(noting(source)) {
            $0.authenticator = TokenAuthenticator(token: .init("old")) { _ in .init("new") }
            $0.retry = RetryPolicy()
            $0.retry.backoff = .init(first: .zero)
        }
        #expect(try await service.GET("/").json == [:])
        #expect(seen.values == ["Bearer old 401", "Bearer new 503", "Bearer new 200"])
    }

    @Test(
        "An interceptor receives no redirect that its data source follows",
        arguments: Contestant.transports)
    func followed(_ contestant: Contestant) async throws {
        let server = try LoopbackServer()
        let service = WebService.test(noting(contestant.source()), base: server.baseURLString)
        #expect(try await service.GET("/redirect/2").response.head.statusCode == 200)
        #expect(seen.values == ["none 200"])
    }

    @Test("An interceptor receives a redirect that its data source doesn't follow")
    func unfollowed() async {
        let source = ScriptedDataSource(.status(302, ["Location": "http://service.test/b"]), .status(200))
        let service = WebService.scripted(noting(source)) { $0.acceptableStatusCodes = 200..<400 }
        _ = await service.GET("/").result
        #expect(seen.values.first == "none 302")
    }

    // MARK: - Follow-up policies

    @Test(
        "The follow-up of a response in memory is decided on the thread that delivers it, after its body",
        arguments: [503, 200])
    func judged(status: Int) async throws {
        let source = ManualDataSource()
        let threads = Recorder<ObjectIdentifier>()
        let service = WebService.scripted(source) {
            $0.retry = RetryPolicy()
            $0.retry.backoff = .init(first: .zero)
            $0.retry.decide = { attempt in
                threads.append(ObjectIdentifier(Thread.current))
                return attempt.response?.statusCode == 503 ? .zero : nil
            }
        }
        let task = service.GET("/")
        let exchange = await source.exchange
        let thread = try await onThread {
            exchange.answer(status: status)
            // Without a thread hop, the follow-up policy has decided by now.
            #expect(threads.values.count == 1)
            return ObjectIdentifier(Thread.current)
        }
        #expect(threads.values == [thread])
        if status == 503 { await source.exchanges.first(2)[1].answer() }
        #expect(try await task.json == [:])
    }

    // MARK: - Deadlines

    enum Failing: CaseIterable {
        /// The request's own timeout passes after 10 s.
        case deadline
        /// The data source times out after 6 s.
        case transport
        /// The network connection is lost after 6 s.
        case network

        var seconds: Int { self == .deadline ? 10 : 6 }
    }

    @Test(
        "After a timeout, caches have the timeout's duration again, and after other failures they don't",
        arguments: Failing.allCases, [true, false])
    func deadline(_ failing: Failing, hasAnswer: Bool) async throws {
        let (clock, cache, server) = (ManualClock(), ByteCache(), CachingServer { $0.answer(#"{"n": 1}"#) })
        let service = WebService.scripted(server, clock) { $0.pipeline[.model].cacheUsing(cache) }
        _ = try await service.GET("/a").json
        await cache.workQueue.drained()
        #expect(cache.calls.values.contains(.write))

        server.now { _ in }
        cache.workQueue.suspend()
        let task = service.GET("/a", options: [.timeout(.seconds(10)), .cachePolicy(.networkFirst)])
        _ = await server.requests.first(2)
        clock.advance(by: .seconds(failing.seconds))
        if failing != .deadline {
            let code = failing == .transport ? URLError.timedOut : .notConnectedToInternet
            server.now { $0.complete(error: URLError(code)) }
            server.answerAgain()
        }
        let rest = failing == .network ? 4 : 10
        clock.advance(by: .milliseconds(1000 * rest - 1))
        // The deadline hasn't passed yet.
        #expect(clock.pending == 1)
        if hasAnswer {
            cache.workQueue.resume()
            #expect(try await task.json == ["n": 1])
            #expect(clock.pending == 0)
        } else {
            clock.advance(by: .milliseconds(1))
            #expect(clock.pending == 0)
            #expect(await task.finalError?.reason == .timedOut)
            cache.workQueue.resume()
        }
    }

    @Test("A retry has only the time that the earlier attempts left")
    func retries() async throws {
        let (clock, source) = (ManualClock(), ScriptedDataSource(.status(503), .silence))
        let service = WebService.scripted(source, clock) {
            $0.retry = RetryPolicy()
            $0.retry.jitter = 1...1
        }
        let task = service.GET("/", options: [.timeout(.seconds(10))])
        // The deadline, and the delay before the retry.
        try await clock.pending(atLeast: 2)
        clock.advance(by: .milliseconds(9999))
        _ = await source.requests.first(2)
        #expect(task.state == .running)
        clock.advance(by: .milliseconds(1))
        #expect(await task.finalError?.reason == .timedOut)
    }
}
