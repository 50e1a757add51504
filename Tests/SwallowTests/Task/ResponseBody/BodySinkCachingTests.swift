import Foundation
import TestSupport
import Testing

import Swallow

@Suite("Caches and bodies with a sink")
struct BodySinkCachingTests {
    private let cache = ByteCache()

    private func service(_ source: any SessionDataTaskDataSource) -> WebService {
        var service = WebService.test(source)
        service.startTasksImmediately = false
        service.configure { [cache] in
            $0.pipeline[.rawData].cacheUsing(cache)
            $0.cachePolicy = .preferCache(maxAge: .seconds(1000))
        }
        return service
    }

    @Test("If a body has a sink from the start, caches don't take part, and the log reports this")
    func fromTheStart() async throws {
        let source = StreamingDataSource()
        let events = Recorder<LogEvent>()
        var service = service(source)
        service.log = { events.append($0) }
        let body = service.GET("/").body
        let reading = Task { try await body.joined() }
        await source.exchange.answer("a")
        #expect(try await reading.value == Data("a".utf8))
        #expect(cache.calls.values.isEmpty)
        let skipped = events.values.filter { if case .cacheSkipped = $0 { true } else { false } }
        #expect(skipped.count == 1)
    }

    @Test(
        "The log reports skipped caches only if the caches would otherwise have taken part",
        arguments: [Request.Method.GET, .HEAD, .POST], [CachePolicy.standard, .ignore])
    func anyway(method: Request.Method, policy: CachePolicy) async throws {
        let source = ManualDataSource(answersInResume: { $0.answer("[1]") })
        let events = Recorder<LogEvent>()
        var service = service(source)
        service.log = { events.append($0) }
        let reading = service.request(method, path: "/", options: [.cachePolicy(policy)]).body
        _ = try await reading.joined()
        let skipped = events.values.filter { if case .cacheSkipped = $0 { true } else { false } }
        #expect(skipped.count == (method != .POST && policy == .standard ? 1 : 0))
    }

    @Test("A cached body is one body part for a sink that is set after the start")
    func cached() async throws {
        let source = ManualDataSource(answersInResume: { $0.answer("[1]") })
        let service = service(source)
        #expect(try await service.GET("/").json == [1])
        _ = await cache.calls.first(2)
        let task = service.GET("/")
        _ = try await task.data
        #expect(try await task.body.joined() == Data("[1]".utf8))
        #expect(source.exchanges.values.count == 1)
    }

    @Test("A POST whose response is streamed invalidates stored responses")
    func invalidation() async throws {
        let source = ManualDataSource(answersInResume: { $0.answer("[1]") })
        let service = service(source)
        _ = try await service.GET("/").json
        _ = await cache.calls.first(2)
        let reading = service.POST("/").body
        #expect(try await reading.joined() == Data("[1]".utf8))
        #expect(await cache.calls.first(4).contains(.remove))
    }
}
