import Foundation
import SwallowTesting
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The validation of stale responses (RFC 9111 §4.3).
extension StandardCachingTests {
    @Test(
        "A stale response is asked for with its validators; a 304 keeps its content and makes it fresh again",
        arguments: Kind.allCases)
    func validated(kind: Kind) async throws {
        let service = service(kind)
        let fields = [
            "Cache-Control": "max-age=60", "ETag": "\"1\"", "Date": "Sun, 22 Nov 2026 06:00:00 GMT",
        ]
        answer(fields)
        _ = try await service.GET("/a").json
        for date in ["Sun, 22 Nov 2026 06:02:00 GMT", "Sun, 22 Nov 2026 06:04:00 GMT"] {
            clock.advance(by: .seconds(120))
            server.now { $0.answer("", status: 304, headers: ["ETag": "\"1\"", "Date": date]) }
            #expect(try await service.GET("/a").result.get().origin == .revalidated)
            #expect(sent.last?.value(forHTTPHeaderField: "If-None-Match") == "\"1\"")
            server.now { $0.answer("unexpected", status: 500) }
            #expect(try await service.GET("/a").result.get().origin == .cache)
        }
        #expect(sent.count == 3)
        if kind == .memory { #expect(parsed.values.count == 1) }
    }

    @Test("A 304 counts from its own date, also where Expires says how long", arguments: Kind.allCases)
    func expiresAfterValidation(kind: Kind) async throws {
        let service = service(kind)
        let expires = ["Expires": "Sun, 22 Nov 2026 06:01:00 GMT", "ETag": "\"1\""]
        answer(expires.merging(["Date": "Sun, 22 Nov 2026 06:00:00 GMT"]) { $1 })
        _ = try await service.GET("/a").json
        clock.advance(by: .seconds(120))
        server.now {
            $0.answer(
                "", status: 304, headers: expires.merging(["Date": "Sun, 22 Nov 2026 06:02:00 GMT"]) { $1 })
        }
        // The response has expired before each request, so each one is validated.
        for _ in 0..<2 { #expect(try await service.GET("/a").result.get().origin == .revalidated) }
        #expect(sent.count == 3)
    }

    @Test("Without dates a 304 leaves a response stale whose Expires is over", arguments: Kind.allCases)
    func expiredWithoutDates(kind: Kind) async throws {
        let service = service(kind)
        let expires = ["Expires": "Sun, 22 Nov 2026 06:01:00 GMT", "ETag": "\"1\""]
        answer(expires)
        _ = try await service.GET("/a").json
        clock.advance(by: .seconds(120))
        server.now { $0.answer("", status: 304, headers: expires) }
        for _ in 0..<2 { #expect(try await service.GET("/a").result.get().origin == .revalidated) }
        #expect(sent.count == 3)
    }

    @Test("Another answer takes the stale one's place")
    func replaced() async throws {
        let service = service()
        answer(["Cache-Control": "max-age=60", "ETag": "\"1\""])
        _ = try await service.GET("/a").json
        clock.advance(by: .seconds(60))
        answer("[2]", ["Cache-Control": "max-age=60", "ETag": "\"2\""])
        for _ in 0..<2 { #expect(try await service.GET("/a").json == [2]) }
        #expect(sent.count == 2)
    }

    @Test(
        "must-revalidate counts by the response's date under every policy",
        arguments: [CachePolicy.preferCache(maxAge: .seconds(600)), .onlyCache])
    func datedValidation(policy: CachePolicy) async throws {
        let service = service()
        answer([
            "Cache-Control": "max-age=60, must-revalidate", "Date": "Sun, 22 Nov 2026 05:50:00 GMT",
        ])
        _ = try await service.GET("/a").json
        let result = await service.GET("/a", options: [.cachePolicy(policy)]).result
        #expect(policy == .onlyCache ? result.failure?.reason == .notCached : sent.count == 2)
    }

    @Test("Who says that they have what is fresh is told that it hasn't changed (RFC 9111 §4.3.2)")
    func ownConditions() async throws {
        let service = service()
        answer([
            "Cache-Control": "max-age=60", "ETag": "\"a,b\"",
            "Last-Modified": "Sun, 22 Nov 2026 05:00:00 GMT",
        ])
        _ = try await service.GET("/a").json
        for (name, value, isMatching) in [
            ("If-None-Match", "\"a,b\"", true), ("If-None-Match", "\"x\", W/\"a,b\"", true),
            ("If-None-Match", "*", true),
            ("If-None-Match", "\"A,B\"", false), ("If-None-Match", "a", false),
            ("If-Modified-Since", "Sun, 22 Nov 2026 05:00:00 GMT", true),
            ("If-Modified-Since", "Sun, 22 Nov 2026 04:59:59 GMT", false),
            ("If-Modified-Since", "now", false),
        ] as [(Headers.Name, String, Bool)] {
            switch await service.GET("/a", options: [.header(name, value)]).result {
            case .success(let entity): #expect(!isMatching && entity.json == [1], "\(name) \(value)")
            case .failure(let error): #expect(isMatching && error.statusCode == 304, "\(name) \(value)")
            }
        }
        #expect(sent.count == 1)
    }

    @Test("A condition of the request's own counts from the response's date where it has no Last-Modified")
    func datedCondition() async throws {
        let service = service()
        answer(["Cache-Control": "max-age=3600", "Date": "Sun, 22 Nov 2026 06:00:00 GMT"])
        _ = try await service.GET("/a").json
        for (since, isMatching) in [
            ("Sun, 22 Nov 2026 06:00:00 GMT", true), ("Sun, 22 Nov 2026 05:59:59 GMT", false),
        ] {
            let result = await service.GET("/a", options: [.header("If-Modified-Since", since)]).result
            #expect(result.failure?.statusCode == (isMatching ? 304 : nil))
        }
        #expect(sent.count == 1)
    }

    @Test(
        "A HEAD that differs makes the response stale, one that doesn't has it fresh again",
        arguments: Kind.allCases)
    func head(kind: Kind) async throws {
        let cases =
            [
                (["ETag": "\"1\"", "Cache-Control": "max-age=60", "X-New": "1"], true),
                (["ETag": "\"2\""], false),
                (["Last-Modified": "Sun, 22 Nov 2026 05:00:01 GMT"], false), (["Content-Length": "4"], false),
                (["Content-Length": "3", "ETag": "W/\"1\""], true), ([:], true),
            ] as [([String: String], Bool)]
        for (index, (fields, isFresh)) in cases.enumerated() {
            let path: Request.Path = "/\(index)"
            let service = service(kind)
            answer([
                "Cache-Control": "max-age=60", "ETag": "\"1\"", "Content-Length": "3",
                "Last-Modified": "Sun, 22 Nov 2026 05:00:00 GMT",
            ])
            _ = try await service.GET(path).json
            clock.advance(by: .seconds(59))
            answer("", fields)
            _ = await service.HEAD(path).result
            if isFresh { clock.advance(by: .seconds(59)) }
            answer("[1]", [:])
            let entity = try await service.GET(path).result.get()
            #expect((entity.origin == .cache) == isFresh, "\(fields)")
            if fields["X-New"] != nil { #expect(entity.headers["X-New"] == "1") }
            if !isFresh { #expect(sent.last?.value(forHTTPHeaderField: "If-None-Match") == "\"1\"") }
        }
    }

    @Test("A HEAD of another status confirms nothing", arguments: Kind.allCases)
    func otherStatus(kind: Kind) async throws {
        let service = service(kind)
        for status in [203, 200] {
            let path: Request.Path = "/\(status)"
            answer("[1]", ["Cache-Control": "max-age=60"], status: status)
            _ = try await service.GET(path).json
            clock.advance(by: .seconds(30))
            answer("", ["Cache-Control": "max-age=60"])
            _ = await service.HEAD(path).result
            answer("[2]", [:])
            #expect(try await service.GET(path).json == (status == 200 ? [1] : [2]))
        }
    }

    @Test("A HEAD that fails, or is somebody else's, changes nothing")
    func otherHead() async throws {
        let service = service()
        answer(["Cache-Control": "max-age=60", "ETag": "\"1\""])
        _ = try await service.GET("/a").json
        answer("", ["ETag": "\"2\""], status: 404)
        _ = await service.HEAD("/a").result
        answer("", ["ETag": "\"2\""])
        _ = await service.HEAD("/a", options: [.header(.authorization, "x")]).result
        _ = await service.HEAD("/b").result
        #expect(try await service.GET("/a").result.get().origin == .cache)
    }
}
