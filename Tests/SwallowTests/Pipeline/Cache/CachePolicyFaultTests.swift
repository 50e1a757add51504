import Foundation
import Swallow
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A cache whose queue is suspended until the cache is released.
private final class StuckCache: EntityCache {
    let workQueue = DispatchQueue(label: "StuckCache")

    init() { workQueue.suspend() }
    deinit { workQueue.resume() }

    func read(_ key: String) -> CachedResponse? { nil }
    func write(_ response: CachedResponse, for key: String) {}
    func updateTimestamp(_ timestamp: Date, for key: String) {}
    func remove(_ key: String) {}
}

/// An app's own parser. It converts text to JSON, or to uppercase text.
private struct OwnParser: ResponseTransformer {
    var makesText = false

    func process(_ outcome: Outcome) -> Outcome {
        outcome.map { entity in
            let text = (entity.text ?? "").uppercased()
            if makesText { return entity.withContent(text) }
            return entity.withContent(JSON.array(text.split(separator: ",").map { .string(String($0)) }))
        }
    }
}

@Suite("Cache policies: what can go wrong")
struct CachePolicyFaultTests {
    private let server = CachingServer { $0.answer(#"{"n": 1}"#) }

    private func service(
        _ cache: some EntityCache, _ caching: CachePolicy = .preferCache(maxAge: .seconds(1000))
    ) -> WebService {
        var service = WebService.test(server)
        service.configure {
            $0.pipeline[.model].cacheUsing(cache)
            $0.cachePolicy = caching
        }
        return service
    }

    @Test(
        "A timeout also ends the wait for a cache that is stuck",
        arguments: [CachePolicy.preferCache(maxAge: .seconds(9)), .networkFirst, .validate], [true, false])
    func stuck(_ caching: CachePolicy, _ isOffline: Bool) async {
        server.now { exchange in
            if isOffline { exchange.complete(error: URLError(.notConnectedToInternet)) }
        }
        let cache = StuckCache()
        let task = service(cache, caching).GET("/a", options: [.timeout(.milliseconds(20))])
        guard case .failure(let error) = await task.result else {
            Issue.record("no failure")
            return
        }
        #expect(error.reason == .timedOut)
    }

    @Test("A status that one request accepts is no success for another")
    func acceptedStatus() async throws {
        let service = service(MemoryCache())
        server.now { $0.answer("{}", status: 404) }
        _ = try await service.GET("/a", options: [.acceptableStatusCodes(200..<500)]).json
        server.goOffline()
        await #expect(throws: ServiceError.self) { try await service.GET("/a").json }
        #expect(try await service.GET("/a", options: [.acceptableStatusCodes(200..<500)]).json == [:])
    }

    @Test("A 304 that the app asked for itself doesn't replace what is kept")
    func ownConditions() async throws {
        let service = service(MemoryCache(), .networkFirst)
        _ = try await service.GET("/a").json
        server.now { $0.answer("", status: 304) }
        _ = await service.GET(
            "/a", options: [.header("If-None-Match", "x"), .acceptableStatusCodes(200..<400)]
        ).result
        server.goOffline()
        #expect(try await service.GET("/a").json == ["n": 1])
    }

    @Test("A hit gives the JSON and the text that an app's own parser made", arguments: [true, false])
    func ownParser(makesText: Bool) async throws {
        server.now { $0.answer("a,b", headers: ["Content-Type": "text/csv"]) }
        var service = service(MemoryCache())
        service.configure {
            $0.pipeline[.parsing].add(OwnParser(makesText: makesText), contentTypes: ["text/csv"])
        }
        service.configureTransformer { (_: Entity<any Sendable>) in 7 }
        for _ in 0..<2 {
            let task = service.GET("/a")
            #expect(try await task.content(as: Int.self) == 7)
            if makesText {
                #expect(try await task.text == "A,B")
            } else {
                #expect(try await task.json == ["A", "B"])
            }
        }
        #expect(server.requests.values.count == 1)
    }

    @Test("A 304 confirms the response it is about, not an older one in another cache")
    func confirmsOne() async throws {
        let (early, late) = (MemoryCache(), MemoryCache())
        var service = service(late, .validate)
        service.configure { $0.pipeline[.rawData].cacheUsing(early) }
        server.now { $0.answer("1", headers: ["Content-Type": "application/json", "ETag": "v1"]) }
        _ = try await service.GET("/a").json
        let key = try #require(early.key(for: server.requests.values[0]))
        let old = try #require(early.read(key))
        server.now { $0.answer("2", headers: ["Content-Type": "application/json", "ETag": "v2"]) }
        _ = try await service.GET("/a").json
        early.write(old, for: key)
        server.now { $0.answer("", status: 304) }
        #expect(try await service.GET("/a").json == 2)
        #expect(early.read(key)?.timestamp == old.timestamp)
    }

    @Test("A connection that breaks in the body is a failure of the transport")
    func brokenBody() async throws {
        let service = service(MemoryCache(), .networkFirst)
        _ = try await service.GET("/a").json
        server.now { exchange in
            exchange.complete(
                data: Data("{".utf8), response: exchange.response(), error: URLError(.networkConnectionLost))
        }
        #expect(try await service.GET("/a").result.get().isFromCache)
    }

    @Test("A success of PUT has the GET's response forgotten, a failed one doesn't")
    func unsafeMethods() async throws {
        let service = service(MemoryCache())
        _ = try await service.GET("/a").json
        server.now { $0.answer("{}", status: 500) }
        _ = await service.PUT("/a").result
        #expect(try await service.GET("/a").result.get().isFromCache)
        server.now { $0.answer(#"{"n": 2}"#) }
        _ = try await service.PUT("/a").json
        #expect(try await service.GET("/a").json == ["n": 2])
    }

    @Test("A cached body that the stages don't take any more is asked for again")
    func incompatible() async throws {
        let cache = MemoryCache()
        _ = try await service(cache).GET("/a").json
        server.now { $0.answer(#"{"m": 2}"#) }
        var newer = service(cache)
        newer.configureTransformer { (entity: Entity<JSON>) in try entity.content["m"].decode(Int.self) }
        #expect(try await newer.GET("/a").content(as: Int.self) == 2)
    }

    @Test("Where the stages refuse what the last cache has, an earlier stage's cache answers")
    func earlierCache() async throws {
        let (early, late) = (MemoryCache(), MemoryCache())
        var service = service(late)
        service.configure { $0.pipeline[.parsing].cacheUsing(early) }
        _ = try await service.GET("/a").json
        let key = try #require(late.key(for: server.requests.values[0]))
        var spoiled = try #require(late.read(key))
        spoiled.data = Data("{".utf8)
        spoiled.content = nil
        late.write(spoiled, for: key)
        server.goOffline()
        #expect(try await service.GET("/a").json == ["n": 1])
        // The later cache stores the content of the earlier cache again.
        #expect(late.read(key)?.content as? JSON == ["n": 1])
    }
}
