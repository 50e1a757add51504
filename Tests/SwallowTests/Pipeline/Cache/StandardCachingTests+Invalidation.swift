import Foundation
import LoopbackServer
import SwallowTesting
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Invalidation (RFC 9111 §4.4).
extension StandardCachingTests {
    @Test("What isn't there any more is forgotten", arguments: [404, 410], Kind.allCases)
    func gone(status: Int, kind: Kind) async throws {
        let service = service(kind)
        answer(["Cache-Control": "max-age=3600"])
        _ = try await service.GET("/a").json
        answer("", [:], status: status)
        let asked = await service.GET("/a", options: [.cachePolicy(.validate)]).result
        #expect(asked.failure?.statusCode == status)
        #expect(await service.GET("/a").result.failure?.statusCode == status)
    }

    @Test("A write whose answer breaks off makes what is cached old", arguments: [true, false])
    func brokenWrite(isStreamed: Bool) async throws {
        let service = service()
        answer(["Cache-Control": "max-age=3600"])
        _ = try await service.GET("/a").json
        server.now { exchange in
            exchange.complete(
                response: exchange.response(status: 200), error: URLError(.networkConnectionLost))
        }
        if isStreamed {
            var parts = service.PUT("/a").body.makeAsyncIterator()
            _ = try? await parts.next()
        } else {
            _ = await service.PUT("/a").result
        }
        answer("[2]", [:])
        #expect(try await service.GET("/a").json == [2])
    }

    @Test(
        "A write that is redirected makes what is cached old, even if the redirect isn't followed or fails",
        arguments: Contestant.transports, ["/broken", "ftp://service.test/"])
    func redirectedWrite(contestant: Contestant, target: String) async throws {
        let server = try LoopbackServer { request in
            if request.path == "/broken" { return .resetBeforeHead }
            if request.method == "POST" { return .respond(.redirect(to: target, status: 303)) }
            var response = LoopbackServer.Response.json("[1]")
            response.headers.append((name: "Cache-Control", value: "max-age=3600"))
            return .respond(response)
        }
        var service = WebService.test(contestant.source(), base: server.baseURLString)
        service.configure { $0.pipeline[.rawData].cacheUsing(MemoryCache()) }
        _ = try await service.GET("/a").json
        #expect(try await service.GET("/a").result.get().origin == .cache)
        let failure = await service.POST("/a").result.failure
        #expect(failure?.isTransportFailure == true)
        #expect(try await service.GET("/a").result.get().origin == .network)
    }

    @Test("A write makes what Location and Content-Location name out of date, in its own origin only")
    func locations() async throws {
        let service = service()
        answer(["Cache-Control": "max-age=600"])
        let other = Request.Path("http://other.test/b")
        for path in ["/b", "/c", "/d", other] { _ = try await service.GET(path).json }
        answer(
            "{}", ["Location": "/b", "Content-Location": "http://service.test/c"], status: 201)
        _ = try await service.POST("/a").result.get()
        answer("{}", ["Location": "http://other.test/b"], status: 201)
        _ = try await service.POST("/a").result.get()
        answer("{}", ["Location": "/d"], status: 500)
        _ = await service.POST("/a").result
        answer(["Cache-Control": "max-age=600"])
        for (path, isStored) in [("/b", false), ("/c", false), ("/d", true), (other, true)]
            as [(Request.Path, Bool)]
        {
            #expect((try await service.GET(path).result.get().origin == .cache) == isStored, "\(path)")
        }
    }

    @Test(
        "A write whose answer has begun makes what is cached old, however it ends",
        arguments: Contestant.transports, [true, false])
    func stalledWrite(contestant: Contestant, isCancelled: Bool) async throws {
        let server = try LoopbackServer { request in
            var response = LoopbackServer.Response.json(request.method == "PUT" ? "1" : "[1]")
            response.headers.append((name: "Cache-Control", value: "max-age=3600"))
            // The rest of the body doesn't arrive during the test.
            let stalled = LoopbackServer.Response.Body.drip(
                chunks: [Data("1".utf8), Data("2".utf8)], every: .seconds(600))
            if request.method == "PUT" { response.body = stalled }
            return .respond(response)
        }
        let cache = ByteCache()
        var service = WebService.test(contestant.source(), base: server.baseURLString)
        service.clock = clock
        service.configure { configuration in
            configuration.cachePolicy = .standard
            configuration.timeout = .seconds(100_000)
            configuration.pipeline[.rawData].cacheUsing(cache)
        }
        _ = try await service.GET("/a").json
        let write = service.PUT("/a")
        for count in 3...8 { if await cache.calls.first(count).last == .remove { break } }
        #expect(write.state == .running)
        if isCancelled { write.cancel() } else { clock.advance(by: .seconds(100_000)) }
        #expect(await write.result.failure?.reason == (isCancelled ? .cancelled : .timedOut))
        #expect(try await service.GET("/a").result.get().origin == .network)
    }
}
