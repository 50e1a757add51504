import Foundation
import LoopbackServer
import Swallow
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("The contract of stream(to:)")
struct StreamContractTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    @Test("Each byte comes once, the head first", arguments: Contestant.allCases)
    func whole(contestant: Contestant) async throws {
        let call = StreamCall(try server.request("/bytes/300000"), contestant.source()).streaming().resumed()
        #expect(await call.body == LoopbackServer.octets(300_000))
        #expect(call.problems == [])
        #expect(call.head?.statusCode == (contestant.streams ? 200 : nil))
    }

    @Test("A body without bytes has a head", arguments: Contestant.allCases)
    func empty(contestant: Contestant) async throws {
        let source = contestant.source()
        for path in ["/empty", "/status/204"] {
            let call = StreamCall(try server.request(path), source).streaming().resumed()
            #expect(await call.body == Data())
            #expect(call.problems == [])
            #expect((call.head != nil) == contestant.streams)
        }
    }

    @Test("A receiver that comes late gets what had arrived", arguments: Contestant.allCases)
    func late(contestant: Contestant) async throws {
        for delay in 0..<8 {
            let source = contestant.source()
            let call = StreamCall(try server.request("/bytes/300000"), source).resumed()
            for _ in 0..<delay { _ = try await server.get("/json", contestant.source()) }
            call.streaming()
            #expect(await call.body == LoopbackServer.octets(300_000))
            #expect(call.problems == [])
        }
    }

    @Test("Of redirects, only the final response is streamed", arguments: Contestant.transports)
    func redirects(contestant: Contestant) async throws {
        let server = try LoopbackServer { request in
            if request.path == "/end" { return .respond(.text("arrived")) }
            var response = LoopbackServer.Response.redirect(to: request.path == "/1" ? "/2" : "/end")
            response.body = .data(Data(count: 100_000))
            return .respond(response)
        }
        let call = StreamCall(try server.request("/1"), contestant.source()).streaming().resumed()
        #expect(await call.body == Data("arrived".utf8))
        #expect(call.problems == [])
        #expect(!contestant.streams || call.head?.url?.path == "/end")
    }

    @Test("A redirect that isn't followed is streamed as it is", arguments: Contestant.transports)
    func notFollowed(contestant: Contestant) async throws {
        let server = try LoopbackServer { _ in
            var response = LoopbackServer.Response.redirect(to: "/end")
            response.body = .data(Data(count: 100_000))
            return .respond(response)
        }
        let source = contestant.source(redirects: .custom { _, _ in nil })
        let call = StreamCall(try server.request("/"), source).streaming().resumed()
        #expect(await call.body.count == 100_000)
        #expect(call.problems == [])
        #expect(call.head?.statusCode == (contestant.streams ? 302 : nil))
    }

    @Test("After suspend() no part begins until resume()", arguments: Contestant.allCases)
    func suspended(contestant: Contestant) async throws {
        let source = contestant.source()
        let (task, hasSuspended) = (Lock<(any DataTask)?>(nil), Event())
        let call = StreamCall(try server.request("/drip?chunks=40&bytes=5000&every=1"), source) { _ in
            guard !hasSuspended.hasHappened else { return }
            task.withLock { $0 }?.suspend()
            hasSuspended.happen()
        }
        guard contestant.streams else { return call.task.cancel() }
        task.withLock { $0 = call.task }
        call.streaming().task.resume()
        await hasSuspended.wait()
        for _ in 0..<5 { _ = try await server.get("/json", contestant.source()) }
        #expect(call.partCount == 1)
        #expect(call.problems == [])
        task.withLock { $0.take() }?.resume()
        #expect(await call.body.count == 200_000)
        #expect(call.problems == [])
    }

    @Test("A cancel from within a part ends it, and nothing comes after", arguments: Contestant.allCases)
    func cancelledWithin(contestant: Contestant) async throws {
        guard contestant.streams else { return }
        let task = Lock<(any DataTask)?>(nil)
        let path = "/drip?chunks=100000&bytes=100&every=50"
        let call = StreamCall(try server.request(path), contestant.source()) { _ in
            task.withLock { $0 }?.cancel()
        }
        task.withLock { $0 = call.task }
        call.streaming().task.resume()
        #expect(await call.outcome.isCancelled)
        _ = try await server.get("/json", contestant.source())
        #expect(call.partCount == 1)
        #expect(call.problems == [])
    }

    @Test("A suspended task can be cancelled, and gives nothing more", arguments: Contestant.allCases)
    func cancelledWhileSuspended(contestant: Contestant) async throws {
        let path = contestant == .stub ? "/drip" : "/drip?chunks=100000&bytes=100&every=50"
        let call = StreamCall(try server.request(path), contestant.source()).streaming().resumed()
        if contestant.streams, contestant != .stub { _ = await call.progress.first(2) }
        call.task.suspend()
        call.task.cancel()
        #expect(await call.outcome.isCancelled)
        let count = call.partCount
        call.task.resume()
        _ = try await server.get("/json", contestant.source())
        #expect(call.partCount == count)
        #expect(call.problems == [])
    }

    @Test("A task that never starts calls no receiver, and lets go of it", arguments: Contestant.allCases)
    func neverStarted(contestant: Contestant) async throws {
        let call = StreamCall(try server.request("/json"), contestant.source()).streaming()
        call.task.cancel()
        #expect(await call.outcome.isCancelled)
        #expect(call.partCount == 0)
    }

    @Test("What came before a failure is given, then the failure", arguments: Contestant.transports)
    func failure(contestant: Contestant) async throws {
        guard contestant.streams else { return }
        let call = StreamCall(try server.request("/fault/truncated"), contestant.source()).streaming()
            .resumed()
        #expect(await call.outcome.error is URLError)
        #expect(call.head?.statusCode == 200)
        #expect(call.streamed.count == 500)
        #expect(call.problems == [])
    }

    @Test("A receiver isn't held after the end", arguments: Contestant.allCases, [true, false])
    func released(contestant: Contestant, isCancelled: Bool) async throws {
        let source = contestant.source()
        let call = Call(try server.request("/json"), source)
        var token: Token? = Token()
        weak let weakToken = token
        call.task.stream { [token] _ in withExtendedLifetime(token) {} }
        token = nil
        if isCancelled { call.task.cancel() } else { call.task.resume() }
        _ = await call.outcome
        // Whoever makes the last call may still hold what it called.
        for _ in 0..<1000 where weakToken != nil { _ = try await server.get("/json", contestant.source()) }
        #expect(weakToken == nil)
    }

    private final class Token: Sendable {}
}

extension Contestant {
    /// Whether it gives parts; any other gives the body whole.
    var streams: Bool {
        switch self {
        case .stub, .whole, .ownSession: false
        default: true
        }
    }
}
