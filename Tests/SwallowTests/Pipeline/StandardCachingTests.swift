import Foundation
import SwallowTesting
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// RFC 9111 and RFC 5861, as `EntityCaching.standard` has a service keep them.
@Suite("Standard caching")
struct StandardCachingTests {
    enum Kind: CaseIterable, Sendable { case memory, disk }

    private let clock = ManualClock(now: Date(timeIntervalSince1970: 1_795_327_200))
    private let server = CachingServer { $0.answer("[1]") }
    private let folder = TemporaryFolder()
    private let parsed = Recorder<Int>()

    private func service(_ kind: Kind = .memory) -> WebService {
        var service = WebService.test(server)
        service.clock = clock
        let cache: any EntityCache = kind == .memory ? MemoryCache() : DiskCache(folder: folder.url)
        service.configureTransformer(atStage: .model) { [parsed] (entity: Entity<JSON>) in
            parsed.append(1)
            return entity.content
        }
        service.configure { configuration in
            configuration.entityCaching = .standard
            configuration.pipeline[kind == .memory ? .model : .rawData].cacheUsing(cache)
        }
        return service
    }

    private func answer(_ headers: [String: String]) { answer("[1]", headers) }

    private func answer(_ body: String, _ headers: [String: String], status: Int = 200) {
        let headers = headers.merging(["Content-Type": "application/json"]) { $1 }
        server.now { $0.answer(body, status: status, headers: headers) }
    }

    private var sent: [URLRequest] { server.requests.values }

    // MARK: - §4.2

    struct Rule: Sendable, CustomTestStringConvertible {
        let fields: [String: String]
        /// After how many seconds the response is still used, and isn't any more; nil for never.
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
        // Fields that may not be used unasked are the response's (§5.2.2.4 allows it); private keeps none from a private cache.
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

    // MARK: - §4.3

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
        // It has expired before it is confirmed.
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

    // MARK: - §5.2.1

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

    // MARK: - RFC 5861

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
        // The answer is kept a moment after it came.
        for _ in 0..<100_000 {
            if try await service.GET("/a", options: [.entityCaching(.only)]).json == [2] { break }
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
        // It has ended once another may begin.
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

    // MARK: - §4.2.4

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

    // MARK: - §3

    @Test("Fields of one connection aren't kept, nor those that Connection names", arguments: Kind.allCases)
    func connectionFields(kind: Kind) async throws {
        let service = service(kind)
        answer([
            "Cache-Control": "max-age=60", "Connection": "close, X-Hop", "X-Hop": "1",
            "Keep-Alive": "timeout=5",
            "Proxy-Authenticate": "Basic", "TE": "trailers", "Upgrade": "h2c", "X-Kept": "1",
        ])
        _ = try await service.GET("/a").json
        let headers = try await service.GET("/a").result.get().headers
        #expect(headers["X-Kept"] == "1" && headers["Cache-Control"] == "max-age=60")
        for name in ["Connection", "X-Hop", "Keep-Alive", "Proxy-Authenticate", "TE", "Upgrade"]
            as [Headers.Name]
        {
            #expect(headers[name] == nil, "\(name)")
        }
    }

    @Test("no-store keeps nothing, unless must-understand beside it", arguments: Kind.allCases)
    func noStore(kind: Kind) async throws {
        let service = service(kind)
        for (path, fields, isKept) in [
            ("/a", "no-store, max-age=60", false), ("/b", "no-store, must-understand, max-age=60", true),
            ("/c", "must-understand, max-age=60", true), ("/e", "must-understand, max-age=60", false),
        ] as [(Request.Path, String, Bool)] {
            answer("[1]", ["Cache-Control": fields], status: path == "/e" ? 299 : 200)
            _ = try await service.GET(path).json
            #expect((try await service.GET(path).result.get().origin == .cache) == isKept, "\(fields)")
        }
        answer(["Cache-Control": "max-age=60"])
        let options: [Request.Option] = [.header("Cache-Control", "no-store")]
        for _ in 0..<2 {
            #expect(try await service.GET("/d", options: options).result.get().origin == .network)
        }
        #expect(try await service.GET("/d").result.get().origin == .network)
    }

    // MARK: - §4.3.2, §4.4, §5.2.2.2

    @Test("What isn't there any more is forgotten", arguments: [404, 410], Kind.allCases)
    func gone(status: Int, kind: Kind) async throws {
        let service = service(kind)
        answer(["Cache-Control": "max-age=3600"])
        _ = try await service.GET("/a").json
        answer("", [:], status: status)
        let asked = await service.GET("/a", options: [.entityCaching(.revalidate)]).result
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

    @Test("A condition of the request's own counts from the response's date where it has no Last-Modified")
    func datedCondition() async throws {
        let service = service()
        answer(["Cache-Control": "max-age=3600", "Date": "Sun, 22 Nov 2026 06:00:00 GMT"])
        _ = try await service.GET("/a").json
        for (since, isKnown) in [
            ("Sun, 22 Nov 2026 06:00:00 GMT", true), ("Sun, 22 Nov 2026 05:59:59 GMT", false),
        ] {
            let result = await service.GET("/a", options: [.header("If-Modified-Since", since)]).result
            #expect(result.failure?.statusCode == (isKnown ? 304 : nil))
        }
        #expect(sent.count == 1)
    }

    @Test(
        "must-revalidate counts by the response's date in every mode",
        arguments: [EntityCaching.prefer(maxAge: .seconds(600)), .only])
    func datedValidation(mode: EntityCaching) async throws {
        let service = service()
        answer([
            "Cache-Control": "max-age=60, must-revalidate", "Date": "Sun, 22 Nov 2026 05:50:00 GMT",
        ])
        _ = try await service.GET("/a").json
        let result = await service.GET("/a", options: [.entityCaching(mode)]).result
        #expect(mode == .only ? result.failure?.reason == .notCached : sent.count == 2)
    }

    // MARK: - §4.1

    @Test(
        "White space, and order and case where they don't matter, make no other variant",
        arguments: [
            ("X-List", "1,2", "1, 2", true), ("X-List", "1, 2", "2, 1", false), ("X-List", "a", "A", false),
            ("X-List", "\"a,b\"", "\"a, b\"", false), ("x-list", " 1 ,2", "1,2", true),
            ("Accept-Language", "de, EN", "en,de", true), ("Accept-Encoding", "gzip, br", "BR,gzip", true),
            ("Accept", "text/html, a/b", "a/b,text/html", true), ("Accept-Language", "de", "en", false),
        ] as [(Headers.Name, String, String, Bool)])
    func variants(name: Headers.Name, first: String, second: String, isSame: Bool) async throws {
        let service = service()
        answer(["Cache-Control": "max-age=60", "Vary": " X-LIST , accept-language,Accept-Encoding, Accept"])
        _ = try await service.GET("/a", options: [.header(name, first)]).json
        let entity = try await service.GET("/a", options: [.header(name, second)]).result.get()
        #expect((entity.origin == .cache) == isSame)
    }

    // MARK: - §4.4

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
        for (path, isKept) in [("/b", false), ("/c", false), ("/d", true), (other, true)]
            as [(Request.Path, Bool)]
        {
            #expect((try await service.GET(path).result.get().origin == .cache) == isKept, "\(path)")
        }
    }

    // MARK: - §4.3.5

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

    // MARK: - Failures

    @Test(
        "A failure that the server calls fresh is kept where that is asked for",
        arguments: [404, 405, 410, 414, 501, 500, 503, 599], Kind.allCases)
    func keptFailures(status: Int, kind: Kind) async throws {
        var service = service(kind)
        answer(#"{"message": "gone"}"#, ["Cache-Control": "max-age=60"], status: status)
        for _ in 0..<2 { _ = await service.GET("/off").result }
        #expect(sent.count == 2)
        service.configure { $0.keepsFailures = true }
        for _ in 0..<3 {
            guard case .failure(let error) = await service.GET("/a").result else {
                Issue.record("no failure")
                return
            }
            #expect(error.statusCode == status && error.reason == .unacceptableStatus)
            #expect(error.json["message"].string == "gone" && error.request != nil)
        }
        #expect(sent.count == 3)
        clock.advance(by: .seconds(60))
        answer(["Cache-Control": "max-age=60"])
        for _ in 0..<2 { #expect(try await service.GET("/a").json == [1]) }
        #expect(sent.count == 4)
    }

    @Test("No other failure is kept, and none of which the server doesn't say how long")
    func otherFailures() async throws {
        var service = service()
        service.configure { $0.keepsFailures = true }
        for (fields, status) in [
            ("max-age=60", 400), ("max-age=60", 401), ("max-age=60", 403), ("max-age=60", 429),
            ("max-age=0", 404),
            ("", 404), ("max-age=60, no-store", 404), ("max-age=60, no-cache", 404), ("max-age=x", 503),
        ] {
            answer(
                "{}", ["Cache-Control": fields, "Last-Modified": "Sun, 22 Nov 2025 06:00:00 GMT"],
                status: status)
            let count = sent.count
            for _ in 0..<2 { _ = await service.GET("/a").result }
            #expect(sent.count == count + 2, "\(fields) \(status)")
        }
    }

    // MARK: - Together with coalescing

    @Test("Two reads at once send one request with coalescing, and two without", arguments: [true, false])
    func coalescing(isCoalescing: Bool) async throws {
        let source = ManualDataSource()
        var service = isCoalescing ? WebService.test(source.coalescing()) : WebService.test(source)
        service.configure { configuration in
            configuration.entityCaching = .standard
            configuration.pipeline[.rawData].cacheUsing(MemoryCache())
        }
        let tasks = [service.GET("/a"), service.GET("/a")]
        let count = isCoalescing ? 1 : 2
        for exchange in await source.exchanges.first(count) {
            exchange.answer("[1]", headers: ["Cache-Control": "max-age=60"])
        }
        for task in tasks { #expect(try await task.json == [1]) }
        #expect(source.exchanges.values.count == count)
    }

    @Test("Who says that they have what is fresh is told that it hasn't changed (RFC 9111 §4.3.2)")
    func ownConditions() async throws {
        let service = service()
        answer([
            "Cache-Control": "max-age=60", "ETag": "\"a,b\"",
            "Last-Modified": "Sun, 22 Nov 2026 05:00:00 GMT",
        ])
        _ = try await service.GET("/a").json
        for (name, value, isKnown) in [
            ("If-None-Match", "\"a,b\"", true), ("If-None-Match", "\"x\", W/\"a,b\"", true),
            ("If-None-Match", "*", true),
            ("If-None-Match", "\"A,B\"", false), ("If-None-Match", "a", false),
            ("If-Modified-Since", "Sun, 22 Nov 2026 05:00:00 GMT", true),
            ("If-Modified-Since", "Sun, 22 Nov 2026 04:59:59 GMT", false),
            ("If-Modified-Since", "now", false),
        ] as [(Headers.Name, String, Bool)] {
            switch await service.GET("/a", options: [.header(name, value)]).result {
            case .success(let entity): #expect(!isKnown && entity.json == [1], "\(name) \(value)")
            case .failure(let error): #expect(isKnown && error.statusCode == 304, "\(name) \(value)")
            }
        }
        #expect(sent.count == 1)
    }

    // MARK: - What is told of it

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

    @Test("An entity says how old it was when it was used, and how fresh", arguments: Kind.allCases)
    func told(kind: Kind) async throws {
        let service = service(kind)
        answer(["Cache-Control": "max-age=60", "Age": "5", "ETag": "\"1\""])
        let first = try await service.GET("/a").result.get()
        #expect(first.age == .seconds(5) && first.freshness?.freshFor == .seconds(55))
        clock.advance(by: .seconds(10))
        let second = try await service.GET("/a").result.get()
        #expect(second.age == .seconds(15) && second.freshness?.freshFor == .seconds(45))
        #expect(second.freshness?.isFresh == true && second.freshness?.isHeuristic == false)
        clock.advance(by: .seconds(100))
        let stale = try await service.GET("/a", options: [.entityCaching(.only)]).result.get()
        #expect(stale.freshness?.isFresh == false && stale.freshness?.staleFor == .seconds(55))
        server.now { $0.answer("", status: 304, headers: ["ETag": "\"1\""]) }
        let confirmed = try await service.GET("/a").result.get()
        #expect(confirmed.age == .zero && confirmed.freshness?.freshFor == .seconds(60))
        #expect(Entity(content: 1).age == nil && Entity(content: 1).freshness == nil)
    }

    @Test("No cache of the transport's takes part, unless the request says how")
    func transportCache() async throws {
        let service = service()
        answer([:])
        _ = try await service.GET("/a").json
        _ = try await service.GET("/a", options: [.cachePolicy(.returnCacheDataElseLoad)]).json
        _ = try await service.GET("/a", options: [.entityCaching(.ignore)]).json
        #expect(
            sent.map(\.cachePolicy) == [
                .reloadIgnoringLocalCacheData, .returnCacheDataElseLoad, .useProtocolCachePolicy,
            ])
    }
}
