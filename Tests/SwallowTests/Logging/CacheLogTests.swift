import Foundation
import SwallowTesting
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Caches in the log and the timeline")
struct CacheLogTests {
    private let clock = ManualClock(now: Date(timeIntervalSince1970: 1_795_327_200))
    private let server = CachingServer { $0.answer("[1]") }
    private let events = Recorder<LogEvent>()

    private func service() -> WebService {
        var service = WebService.test(server)
        service.clock = clock
        service.log = { [events] in events.append($0) }
        service.configure { configuration in
            configuration.cachePolicy = .standard
            configuration.pipeline[.model].cacheUsing(MemoryCache())
        }
        return service
    }

    private func answer(_ body: String, _ headers: [String: String] = [:], status: Int = 200) {
        let headers = headers.merging(["Content-Type": "application/json"]) { $1 }
        server.now { $0.answer(body, status: status, headers: headers) }
    }

    private func kinds() -> [String] {
        events.values.compactMap { event in
            switch event {
            case .cacheUsed(_, let use, _, _): use.name
            case .cacheMiss: "miss"
            case .requestSent: "sent"
            default: nil
            }
        }
    }

    /// A miss, a hit, a stale hit and a 304 in this order.
    private func fourWays() async throws {
        let service = service()
        answer("[1]", ["Cache-Control": "max-age=60, stale-if-error=60", "ETag": "\"1\""])
        _ = try await service.GET("/a").json
        clock.advance(by: .seconds(10))
        _ = try await service.GET("/a").json
        clock.advance(by: .seconds(60))
        answer("", status: 503)
        _ = try await service.GET("/a").json
        answer("", ["ETag": "\"1\""], status: 304)
        _ = try await service.GET("/a").json
    }

    @Test("A miss, a hit, a stale hit and a 304 are logged as different events")
    func told() async throws {
        try await fourWays()
        #expect(kinds() == ["miss", "sent", "hit", "sent", "stale hit", "sent", "revalidated"])
        let uses = events.values.compactMap { event in
            if case .cacheUsed(_, _, let stage, let freshness) = event { (stage, freshness) } else { nil }
        }
        #expect(uses.map(\.1.age) == [.seconds(10), .seconds(70), .zero])
        #expect(uses.map(\.1.staleFor) == [.zero, .seconds(10), .zero])
        #expect(uses.allSatisfy { $0.0 == "model" })
    }

    @Test("A chart shows cache hits, with a mark instead of a duration")
    func charted() async throws {
        try await fourWays()
        var timeline = Timeline()
        for event in events.values { timeline.add(event) }
        let bars = timeline.takeEnded()
        #expect(bars.map(\.cache) == ["miss", "hit", "stale hit", "revalidated"])
        #expect(
            bars.map(\.status) == [200, nil, 503, 304] && bars.map(\.isUnsent) == [false, true, false, false])
        let lines = TimelineChart(bars: bars, width: 80, isColored: false).lines
        #expect(lines[0].hasSuffix("▪ cache"))
        #expect(lines[1].contains(" 200 miss ") && lines[2].hasSuffix(" hit") && lines[2].contains("▪"))
        #expect(lines[3].contains(" 503 stale hit ") && lines[4].contains(" 304 revalidated "))
        #expect(lines.allSatisfy { $0.count <= 80 })
    }

    @Test("A request without a network that is served by a cache is complete in the timeline")
    func offline() async throws {
        let service = service()
        answer("[1]")
        _ = try await service.GET("/a").json
        server.goOffline()
        _ = try await service.GET("/a").json
        var timeline = Timeline()
        for event in events.values { timeline.add(event) }
        #expect(timeline.isIdle && timeline.takeEnded().last?.cache == "stale hit")
    }

    @Test("A stored failure and a response that the caller already has are logged as hits")
    func otherHits() async throws {
        let service = service()
        answer("", ["Cache-Control": "max-age=60", "ETag": "\"1\""], status: 404)
        for _ in 0..<2 { _ = await service.GET("/a").result }
        answer("[1]", ["Cache-Control": "max-age=60", "ETag": "\"1\""])
        let options: [Request.Option] = [.header("If-None-Match", "\"1\"")]
        _ = try await service.GET("/b").json
        _ = await service.GET("/b", options: options).result
        #expect(kinds() == ["miss", "sent", "hit", "miss", "sent", "hit"])
    }

    @Test(
        "A request with .onlyCache is logged as failed if no cache is read",
        arguments: [(false, .GET), (true, .GET), (true, .POST)] as [(Bool, Request.Method)])
    func noCache(hasStages: Bool, method: Request.Method) async {
        var service = WebService.test(server)
        service.log = { [events] in events.append($0) }
        if hasStages { service.configureTransformer { (entity: Entity<JSON>) in entity.content.count } }
        if method == .POST { service.configure { $0.pipeline[.model].cacheUsing(MemoryCache()) } }
        let task = service.request(method, path: "/a", options: [.cachePolicy(.onlyCache)])
        #expect(await task.result.failure?.reason == .notCached)
        let failures = events.values.filter { if case .failed = $0 { true } else { false } }
        #expect(failures.count == 1)
    }

    @Test("A request with .onlyCache that misses the caches doesn't appear in the timeline")
    func notCached() async {
        let service = service()
        _ = await service.GET("/a", options: [.cachePolicy(.onlyCache)]).result
        var timeline = Timeline()
        for event in events.values { timeline.add(event) }
        #expect(timeline.isIdle && timeline.takeEnded().isEmpty)
    }
}
