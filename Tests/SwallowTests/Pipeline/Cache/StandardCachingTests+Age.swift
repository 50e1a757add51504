import Foundation
import SwallowTesting
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The age that an entity reports (RFC 9111 §4).
extension StandardCachingTests {
    @Test("A response that is used unasked has its age in Age", arguments: Kind.allCases)
    func ageField(kind: Kind) async throws {
        let service = service(kind)
        answer(["Cache-Control": "max-age=60", "Age": "5"])
        _ = try await service.GET("/a").json
        for age in ["15", "25"] {
            clock.advance(by: .seconds(10))
            let entity = try await service.GET("/a").result.get()
            #expect(entity.headers["Age"] == age && entity.age == .seconds(Int(age) ?? 0))
        }
    }

    @Test("An entity says how old it was when it was used, and how fresh", arguments: Kind.allCases)
    func told(kind: Kind) async throws {
        let service = service(kind)
        answer(["Cache-Control": "max-age=60", "Age": "5", "ETag": "\"1\""])
        let first = try await service.GET("/a").result.get()
        #expect(first.age == .seconds(5) && first.freshness?.lifetime == .seconds(60))
        clock.advance(by: .seconds(10))
        let second = try await service.GET("/a").result.get()
        #expect(second.age == .seconds(15) && second.freshness?.lifetime == .seconds(60))
        #expect(second.freshness?.isFresh == true)
        clock.advance(by: .seconds(100))
        let stale = try await service.GET("/a", options: [.cachePolicy(.onlyCache)]).result.get()
        #expect(stale.freshness?.isFresh == false && stale.freshness?.staleFor == .seconds(55))
        server.now { $0.answer("", status: 304, headers: ["ETag": "\"1\""]) }
        let confirmed = try await service.GET("/a").result.get()
        #expect(confirmed.age == .zero && confirmed.freshness?.lifetime == .seconds(60))
        #expect(Entity(content: 1).age == nil && Entity(content: 1).freshness == nil)
    }

    @Test("What a later stage's cache takes from an earlier one's is as old as that")
    func fillsLaterStages() async throws {
        let (early, late) = (MemoryCache(), MemoryCache())
        var service = service()
        service.configure { configuration in
            configuration.pipeline[.rawData].cacheUsing(early)
            configuration.pipeline[.model].cacheUsing(late)
        }
        answer(["Cache-Control": "max-age=60", "Age": "20"])
        _ = try await service.GET("/a").json
        clock.advance(by: .seconds(10))
        late.removeAll()
        for _ in 0..<2 { #expect(try await service.GET("/a").result.get().age == .seconds(30)) }
        clock.advance(by: .seconds(30))
        #expect(try await service.GET("/a").result.get().origin == .network)
    }
}
