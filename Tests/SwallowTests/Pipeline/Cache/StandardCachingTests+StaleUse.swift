import Foundation
import SwallowTesting
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The use of stale responses (RFC 9111 §4.2.4, RFC 5861).
extension StandardCachingTests {
    @Test(
        "stale-while-revalidate: the hit at once, and one request in the background", arguments: Kind.allCases
    )
    func staleWhileRevalidate(kind: Kind) async throws {
        let service = service(kind)
        answer(["Cache-Control": "max-age=60, stale-while-revalidate=30", "ETag": "\"1\""])
        _ = try await service.GET("/a").json
        clock.advance(by: .seconds(89))
        let held = Recorder<ManualExchange>()
        server.now { held.append($0) }
        for _ in 0..<4 { #expect(try await service.GET("/a").result.get().origin == .cache) }
        let exchange = await held.first(1)[0]
        #expect(exchange.request.value(forHTTPHeaderField: "If-None-Match") == "\"1\"")
        exchange.answer(
            "[2]",
            headers: ["Content-Type": "application/json", "Cache-Control": "max-age=60", "ETag": "\"2\""])
        server.now { $0.answer("unexpected", status: 500) }
        // The cache stores the response shortly after it arrives.
        for _ in 0..<100_000 {
            if try await service.GET("/a", options: [.cachePolicy(.onlyCache)]).json == [2] { break }
            await Task.yield()
        }
        #expect(try await service.GET("/a").json == [2])
        #expect(held.values.count == 1 && sent.count == 2)
    }

    @Test(
        "The request in the background asks about the hit, whatever its caller has",
        arguments: Validators.allConditions)
    func refreshWithoutConditions(field: String) async throws {
        let service = service()
        answer(["Cache-Control": "max-age=60, stale-while-revalidate=30", "ETag": "\"1\""])
        _ = try await service.GET("/a").json
        clock.advance(by: .seconds(89))
        let held = Recorder<ManualExchange>()
        server.now { held.append($0) }
        _ = await service.GET("/a", options: [.header(Headers.Name(field), "\"other\"")]).result
        let exchange = await held.first(1)[0]
        #expect(exchange.request.value(forHTTPHeaderField: "If-None-Match") == "\"1\"")
        #expect(
            Validators.allConditions.filter { exchange.request.value(forHTTPHeaderField: $0) != nil }
                == ["If-None-Match"])
        exchange.drop()
    }

    @Test("After its window, for a request with demands and with must-revalidate, the server comes first")
    func notWhileRevalidating() async throws {
        for (fields, demand, age) in [
            ("max-age=60, stale-while-revalidate=30", "", 90.0),
            ("max-age=60, stale-while-revalidate=30", "max-age=70", 80),
            ("max-age=60, stale-while-revalidate=30", "no-cache", 80),
            ("max-age=60, stale-while-revalidate=30, must-revalidate", "", 80),
            ("max-age=60, stale-while-revalidate=x", "", 61),
        ] as [(String, String, Double)] {
            let service = service()
            answer(["Cache-Control": fields])
            _ = try await service.GET("/a").json
            clock.advance(by: .seconds(age))
            let options: [Request.Option] = demand.isEmpty ? [] : [.header("Cache-Control", demand)]
            #expect(
                try await service.GET("/a", options: options).result.get().origin == .network,
                "\(fields) \(demand)")
        }
    }

    @Test("A refresh that was under way when the cache was wiped keeps nothing")
    func wipedRefresh() async throws {
        let service = service()
        answer(["Cache-Control": "max-age=60, stale-while-revalidate=30"])
        _ = try await service.GET("/a").json
        clock.advance(by: .seconds(61))
        let held = Recorder<ManualExchange>()
        server.now { held.append($0) }
        _ = try await service.GET("/a").json
        let exchange = await held.first(1)[0]
        service.wipeCaches()
        exchange.answer("[2]", headers: ["Content-Type": "application/json", "Cache-Control": "max-age=60"])
        // Another request is sent only after the refresh has ended.
        answer("[3]", ["Cache-Control": "max-age=60"])
        #expect(try await service.GET("/a").json == [3])
        #expect(try await service.GET("/a").json == [3])
    }

    @Test(
        "stale-if-error: the hit in place of a server's error, within its time",
        arguments: [500, 502, 503, 504])
    func staleIfError(status: Int) async throws {
        for (fields, demand, age, isUsed) in [
            ("max-age=60, stale-if-error=30", "", 89.0, true),
            ("max-age=60, stale-if-error=30", "", 90, false),
            ("max-age=60", "stale-if-error=30", 89, true), ("max-age=60", "", 61, false),
            ("max-age=60, stale-if-error=30, must-revalidate", "", 61, false),
            ("max-age=60, stale-if-error=30", "no-cache", 61, false),
            ("no-cache, max-age=60, stale-if-error=30", "", 61, false),
        ] as [(String, String, Double, Bool)] {
            let service = service()
            answer(["Cache-Control": fields, "ETag": "\"1\""])
            _ = try await service.GET("/a").json
            clock.advance(by: .seconds(age))
            answer("", [:], status: status)
            let options: [Request.Option] = demand.isEmpty ? [] : [.header("Cache-Control", demand)]
            let result = await service.GET("/a", options: options).result
            #expect((try? result.get().origin == .cache) ?? false == isUsed, "\(fields) \(demand) \(age)")
            if case .failure(let error) = result { #expect(error.statusCode == status) }
        }
    }

    @Test("Other errors are the server's word", arguments: [400, 404, 429, 501, 505])
    func otherErrors(status: Int) async throws {
        let service = service()
        answer(["Cache-Control": "max-age=60, stale-if-error=1000"])
        _ = try await service.GET("/a").json
        clock.advance(by: .seconds(61))
        answer("", [:], status: status)
        guard case .failure(let error) = await service.GET("/a").result else {
            Issue.record("no failure")
            return
        }
        #expect(error.statusCode == status)
    }

    @Test("Offline, a stale response is used, unless the server or the request wants it confirmed")
    func offline() async throws {
        for (fields, demand, isUsed) in [
            ("max-age=60", "", true), ("", "", true), ("max-age=60, must-revalidate", "", false),
            ("no-cache", "", false), ("max-age=60", "no-cache", false), ("max-age=60", "max-age=5", false),
            ("max-age=60, stale-if-error=1000", "max-age=5", true), ("max-age=60", "min-fresh=5", false),
        ] {
            let service = service()
            answer(fields.isEmpty ? [:] : ["Cache-Control": fields])
            _ = try await service.GET("/a").json
            clock.advance(by: .seconds(61))
            server.goOffline()
            let options: [Request.Option] = demand.isEmpty ? [] : [.header("Cache-Control", demand)]
            let result = await service.GET("/a", options: options).result
            #expect((try? result.get().isFromCache) ?? false == isUsed, "\(fields) \(demand)")
        }
    }

    @Test("An app that knows better may use what the server wants confirmed")
    func ignoredRules() async throws {
        var service = service()
        service.configure { $0.ignoresServerCacheRules = true }
        answer(["Cache-Control": "max-age=60, no-cache, must-revalidate"])
        for _ in 0..<2 { _ = try await service.GET("/a").json }
        #expect(sent.count == 1)
    }
}
