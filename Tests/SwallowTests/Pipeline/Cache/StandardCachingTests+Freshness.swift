import Foundation
import SwallowTesting
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Lifetime and age (RFC 9111 §4.2), and the freshness that a request requires (§5.2.1).
extension StandardCachingTests {
    struct Rule: Sendable, CustomTestStringConvertible {
        let fields: [String: String]
        /// The age in seconds at which the response is still used, or `nil` if it is never used without validation. It
        /// isn't used at the age `stale`.
        let fresh: Double?
        let stale: Double

        init(_ fields: [String: String], fresh: Double?, stale: Double) {
            (self.fields, self.fresh, self.stale) = (fields, fresh, stale)
        }

        var testDescription: String { "\(fields)" }
    }

    private static let rules = [
        Rule(["Cache-Control": "max-age=86400"], fresh: 61, stale: 86_400),
        Rule(["Cache-Control": "max-age=60"], fresh: 59, stale: 60),
        Rule(["Cache-Control": "max-age=0"], fresh: nil, stale: 0),
        Rule(["Cache-Control": "max-age=3600", "Age": "7200"], fresh: nil, stale: 0),
        Rule(["Cache-Control": "max-age=3600", "Age": "3500"], fresh: 99, stale: 100),
        Rule(["Expires": "Sun, 22 Nov 2026 05:00:00 GMT"], fresh: nil, stale: 0),
        Rule(["Expires": "Sun, 22 Nov 2026 06:01:00 GMT"], fresh: 59, stale: 60),
        Rule(["Expires": "Sun, 22 Nov 2026 06:01:00 UTC"], fresh: nil, stale: 0),
        Rule(["Cache-Control": "max-age=60, no-cache"], fresh: nil, stale: 0),
        Rule(["Cache-Control": "max-age=60, must-revalidate"], fresh: 59, stale: 60),
        // For `no-cache` with field names, Swallow validates the complete response, as §5.2.2.4 allows. `private`
        // doesn't affect a private cache.
        Rule(["Cache-Control": "max-age=60, no-cache=\"Set-Cookie, X\""], fresh: nil, stale: 0),
        Rule(["Cache-Control": "max-age=60, private"], fresh: 59, stale: 60),
        Rule(["Cache-Control": "max-age=60, private=\"Set-Cookie\""], fresh: 59, stale: 60),
        Rule(["Cache-Control": "max-age=60", "Date": "Sun, 22 Nov 2026 05:59:50 GMT"], fresh: 49, stale: 50),
        Rule(["Last-Modified": "Sun, 22 Nov 2026 05:00:00 GMT"], fresh: 359, stale: 360),
        Rule([:], fresh: nil, stale: 0),
    ]

    @Test("A fresh response is used without a request, a stale one isn't", arguments: rules, Kind.allCases)
    func freshness(_ rule: Rule, _ kind: Kind) async throws {
        let service = service(kind)
        answer(rule.fields)
        _ = try await service.GET("/a").json
        if let fresh = rule.fresh {
            clock.advance(by: .seconds(fresh))
            #expect(try await service.GET("/a").result.get().origin == .cache)
        }
        clock.advance(by: .seconds(rule.stale - (rule.fresh ?? 0)))
        #expect(try await service.GET("/a").result.get().origin == .network)
        #expect(sent.count == 2)
    }

    @Test("Four reads of what is fresh are one request, and parsed once")
    func oneRequest() async throws {
        let service = service()
        answer(["Cache-Control": "max-age=60"])
        for _ in 0..<4 { #expect(try await service.GET("/a").content(as: JSON.self) == [1]) }
        #expect(sent.count == 1 && parsed.values.count == 1)
    }

    private static let demands: [(String, Double, Bool)] = [
        ("no-cache", 1, false), ("max-age=10", 10, true), ("max-age=10", 11, false), ("max-age=0", 1, false),
        ("min-fresh=30", 30, true), ("min-fresh=30", 31, false), ("max-stale", 1000, true),
        ("max-stale=10", 70, true), ("max-stale=10", 71, false),
    ]

    @Test("The request says how fresh is fresh enough", arguments: demands)
    func demand(field: String, age: Double, isUsed: Bool) async throws {
        let service = service()
        answer(["Cache-Control": "max-age=60"])
        _ = try await service.GET("/a").json
        clock.advance(by: .seconds(age))
        let entity = try await service.GET("/a", options: [.header("Cache-Control", field)]).result.get()
        #expect((entity.origin == .cache) == isUsed)
    }

    @Test("max-stale doesn't have a response used that must be confirmed")
    func maxStale() async throws {
        let service = service()
        answer(["Cache-Control": "max-age=60, must-revalidate"])
        _ = try await service.GET("/a").json
        clock.advance(by: .seconds(61))
        let options: [Request.Option] = [.header("Cache-Control", "max-stale")]
        #expect(try await service.GET("/a", options: options).result.get().origin == .network)
    }

    @Test("Pragma: no-cache asks the server")
    func pragma() async throws {
        let service = service()
        answer(["Cache-Control": "max-age=60"])
        _ = try await service.GET("/a").json
        #expect(
            try await service.GET("/a", options: [.header("Pragma", "no-cache")]).result.get().origin
                == .network)
    }

    @Test("only-if-cached sends nothing: what is stale is not cached")
    func onlyIfCached() async throws {
        let service = service()
        let options: [Request.Option] = [.header("Cache-Control", "only-if-cached")]
        func reason() async -> ServiceError.Reason? {
            await service.GET("/a", options: options).result.reason
        }
        #expect(await reason() == .notCached)
        answer(["Cache-Control": "max-age=60"])
        _ = try await service.GET("/a").json
        #expect(await reason() == nil)
        clock.advance(by: .seconds(61))
        #expect(await reason() == .notCached)
        #expect(sent.count == 1)
    }
}
