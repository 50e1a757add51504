import Foundation
import Swallow
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Tests rules of RFC 9111, and the cookies that a transport adds (RFC 6265).
@Suite("The rules of caches")
struct CacheRulesTests {
    enum Kind: CaseIterable, Sendable { case memory, bytes, disk }

    private let server = CachingServer { $0.answer("[1]") }
    private let folder = TemporaryFolder()
    private let prefer = Request.Option.cachePolicy(.preferCache(maxAge: .seconds(1000)))
    private let type = ["Content-Type": "application/json"]

    private func cache(_ kind: Kind) -> any EntityCache {
        switch kind {
        case .memory: MemoryCache()
        case .bytes: ByteCache()
        case .disk: DiskCache(folder: folder.url, storesAuthorized: true)
        }
    }

    private func service(_ cache: any EntityCache) -> WebService {
        var service = WebService.test(server)
        service.configure { $0.pipeline[.parsing].cacheUsing(cache) }
        return service
    }

    private func answer(_ headers: [String: String], _ body: String = "[1]", status: Int = 200) {
        let headers = headers.merging(type) { $1 }
        server.now { $0.answer(body, status: status, headers: headers) }
    }

    /// Sets the age of the stored response.
    private func age(_ cache: any EntityCache, by seconds: TimeInterval) throws {
        let key = try #require(cache.key(for: server.requests.values[0]))
        cache.updateTimestamp(Date(timeIntervalSinceNow: -seconds), for: key)
    }

    // MARK: - §4.3.4

    @Test(
        "A 304's fields take the place of the kept ones, but for those of the body", arguments: Kind.allCases)
    func updatedFields(kind: Kind) async throws {
        let service = service(cache(kind))
        answer(["ETag": "\"1\"", "X-Old": "old", "X-Kept": "kept", "Content-Language": "en"])
        _ = try await service.GET("/a").json
        server.now {
            $0.answer(
                "", status: 304,
                headers: [
                    "ETag": "\"1\"", "x-old": "new", "X-Added": "added", "Content-Length": "0",
                    "Content-Type": "text/none", "Connection": "close, X-Hop", "X-Hop": "1",
                    "Content-Encoding": "gzip", "Vary": "*",
                ])
        }
        _ = try await service.GET("/a", options: [.cachePolicy(.validate)]).json
        server.goOffline()
        let entity = try await service.GET("/a").result.get()
        #expect(entity.isFromCache && entity.json == [1])
        #expect(entity.headers["X-Old"] == "new" && entity.headers["X-Added"] == "added")
        #expect(entity.headers["X-Kept"] == "kept" && entity.headers["Content-Language"] == "en")
        #expect(entity.contentType == "application/json")
        for name in ["Connection", "X-Hop", "Content-Length", "Content-Encoding", "Vary"] as [Headers.Name] {
            #expect(entity.headers[name] == nil, "\(name)")
        }
    }

    @Test("The one who asked sees a 304's fields, too")
    func fieldsOfTheAnswer() async throws {
        let service = service(MemoryCache())
        answer(["ETag": "\"1\"", "X-Old": "old"])
        _ = try await service.GET("/a").json
        server.now { $0.answer("", status: 304, headers: ["X-Old": "new"]) }
        let entity = try await service.GET("/a", options: [.cachePolicy(.validate)]).result.get()
        #expect(entity.isFromCache && entity.json == [1] && entity.headers["X-Old"] == "new")
    }

    @Test("A 304 with another validator confirms nothing: the request is sent once more, without validators")
    func otherValidator() async throws {
        let service = service(MemoryCache())
        answer(["ETag": "\"1\""])
        _ = try await service.GET("/a").json
        server.now { exchange in
            let isConditional = exchange.request.value(forHTTPHeaderField: "If-None-Match") != nil
            exchange.answer(
                isConditional ? "" : "[2]", status: isConditional ? 304 : 200, headers: ["ETag": "\"2\""])
        }
        let revalidating = [Request.Option.cachePolicy(.validate)]
        let entity = try await service.GET("/a", options: revalidating).result.get()
        #expect(entity.json == [2] && entity.origin == .network)
        let tags = server.requests.values.map { $0.value(forHTTPHeaderField: "If-None-Match") }
        #expect(tags == [nil, "\"1\"", nil])
    }

    @Test("Where that is answered with a 304 too, it is an error, and no third request is made")
    func stubbornNotModified() async throws {
        let service = service(MemoryCache())
        answer(["ETag": "\"1\""])
        _ = try await service.GET("/a").json
        answer(["ETag": "\"2\""], "", status: 304)
        let result = await service.GET("/a", options: [.cachePolicy(.validate)]).result
        guard case .failure(let error) = result else {
            Issue.record("no failure")
            return
        }
        #expect(error.statusCode == 304 && server.requests.values.count == 3)
    }

    @Test("A 304 that forbids to keep has the kept one removed")
    func noLongerStored() async throws {
        let service = service(MemoryCache())
        answer(["ETag": "\"1\""])
        _ = try await service.GET("/a").json
        server.now { $0.answer("", status: 304, headers: ["Cache-Control": "no-store"]) }
        _ = try await service.GET("/a", options: [.cachePolicy(.validate)]).json
        server.goOffline()
        await #expect(throws: ServiceError.self) { try await service.GET("/a").json }
    }

    // MARK: - §4.4

    @Test("A write has all variants of its URL forgotten, and no other's", arguments: [Kind.memory, .disk])
    func invalidation(kind: Kind) async throws {
        for method in [Request.Method.PUT, .DELETE, .POST, .PATCH] {
            let service = service(cache(kind))
            let variants: [[Request.Option]] = [
                [], [.header("Accept", "text/csv")], [.header("Accept-Language", "de")],
                [.header(.authorization, "ann")], [.header("X-Plan", "paid")],
            ]
            answer(["Vary": "X-Plan"])
            for options in variants { _ = try await service.GET("/a", options: options).json }
            _ = try await service.GET("/a/b", options: [.header("Accept", "text/csv")]).json
            let count = server.requests.values.count
            _ = try await service.request(method, path: "/a", options: [.header(.authorization, "bob")]).json
            for options in variants {
                let entity = try await service.GET("/a", options: options + [prefer]).result.get()
                #expect(!entity.isFromCache, "\(method) \(options)")
            }
            #expect(server.requests.values.count == count + 1 + variants.count)
            let other = service.GET("/a/b", options: [.header("Accept", "text/csv"), prefer])
            #expect(try await other.result.get().isFromCache)
        }
    }

    // MARK: - §5.2.1.4

    @Test("A request's no-cache asks the server, with validators where there are some")
    func requestRequiresValidation() async throws {
        let service = service(MemoryCache())
        answer(["ETag": "\"1\""])
        _ = try await service.GET("/a").json
        let options: [Request.Option] = [prefer, .header("Cache-Control", "max-age=5, No-Cache")]
        server.now { $0.answer("", status: 304, headers: [:]) }
        let confirmed = try await service.GET("/a", options: options).result.get()
        #expect(confirmed.isFromCache && confirmed.json == [1])
        #expect(server.requests.values.last?.value(forHTTPHeaderField: "If-None-Match") == "\"1\"")
        server.goOffline()
        for caching in [
            CachePolicy.networkFirst, .preferCache(maxAge: .seconds(1000)), .standard, .validate,
        ] {
            let task = service.GET(
                "/a", options: [.cachePolicy(caching), .header("Cache-Control", "no-cache")])
            await #expect(throws: ServiceError.self) { try await task.json }
        }
        #expect(try await service.GET("/a").json == [1])
    }

    // MARK: - §5.2.2

    struct Directive: Sendable {
        let fields: [String: String]
        let age: TimeInterval
        let isObeyed: Bool

        init(_ control: String, age: TimeInterval, isObeyed: Bool, _ others: [String: String] = [:]) {
            fields = others.merging(["Cache-Control": control]) { $1 }
            self.age = age
            self.isObeyed = isObeyed
        }
    }

    private static let directives = [
        Directive("no-cache", age: 0, isObeyed: true),
        Directive("private, No-Cache=\"Set-Cookie, X\"", age: 0, isObeyed: true),
        Directive("must-revalidate", age: 1, isObeyed: true),
        Directive("max-age=0, private, must-revalidate", age: 1, isObeyed: true),
        Directive("max-age=86400, must-revalidate", age: 1, isObeyed: false),
        Directive("max-age=60, must-revalidate", age: 61, isObeyed: true),
        Directive("max-age=\"86400\", must-revalidate", age: 1, isObeyed: false),
        Directive("max-age=60, must-revalidate", age: 1, isObeyed: true, ["Age": "60"]),
        Directive("max-age=99999999999999999999, must-revalidate", age: 500, isObeyed: false),
        Directive("max-age=x, must-revalidate", age: 1, isObeyed: true),
        Directive(
            "must-revalidate", age: 1, isObeyed: false, ["Expires": "Sun, 22 Nov 2099 06:01:00 GMT"]),
        // The response's `Date` determines its age.
        Directive(
            "must-revalidate", age: 1, isObeyed: true,
            ["Date": "Sun, 22 Nov 2026 06:00:00 GMT", "Expires": "Sun, 22 Nov 2026 06:01:00 GMT"]),
        Directive("must-revalidate", age: 1, isObeyed: true, ["Expires": "0"]),
        Directive("max-age=1", age: 500, isObeyed: false),
        Directive("private, x=\"no-cache\"", age: 1, isObeyed: false),
    ]

    @Test(
        "no-cache and, once stale, must-revalidate have the server asked, and nothing else used",
        arguments: directives)
    func directive(_ rule: Directive) async throws {
        let cache = MemoryCache()
        let service = service(cache)
        answer(rule.fields)
        _ = try await service.GET("/a").json
        try age(cache, by: rule.age)
        #expect(try await service.GET("/a", options: [prefer]).result.get().isFromCache == !rule.isObeyed)
        try age(cache, by: rule.age)
        server.goOffline()
        for caching in [CachePolicy.networkFirst, .preferCache(maxAge: .seconds(1000)), .standard] {
            let result = await service.GET("/a", options: [.cachePolicy(caching)]).result
            switch result {
            case .success(let entity): #expect(!rule.isObeyed && entity.isFromCache)
            case .failure(let error): #expect(rule.isObeyed && error.isRetryable)
            }
        }
    }

    @Test("An app that knows better says so: for all requests, or for one")
    func ignoredRules() async throws {
        var service = service(MemoryCache())
        answer(["Cache-Control": "no-cache, must-revalidate"])
        _ = try await service.GET("/a").json
        let options: [Request.Option] = [.ignoresServerCacheRules(true)]
        #expect(try await service.GET("/a", options: options + [prefer]).result.get().isFromCache)
        server.goOffline()
        #expect(try await service.GET("/a", options: options).json == [1])
        await #expect(throws: ServiceError.self) { try await service.GET("/a").json }
        service.configure { $0.ignoresServerCacheRules = true }
        #expect(try await service.GET("/a").json == [1])
        let validating = service.GET("/a", options: [.header("Cache-Control", "no-cache")])
        await #expect(throws: ServiceError.self) { try await validating.json }
    }

    // MARK: - Cookies

    @Test("A response that varies by cookies which the transport added isn't cached for other requests")
    func transportCookies() async throws {
        let service = service(MemoryCache())
        answer(["Vary": "Accept, cookie"])
        _ = try await service.GET("/a").json
        server.goOffline()
        await #expect(throws: ServiceError.self) { try await service.GET("/a").json }
    }

    @Test("What varies by the caller's own cookies, or by none, is kept for these")
    func ownCookies() async throws {
        let service = service(MemoryCache())
        answer(["Vary": "Cookie"])
        _ = try await service.GET("/a", options: [.header(.cookie, "alice")]).json
        _ = try await service.GET("/b", options: [.handlesCookies(false)]).json
        server.goOffline()
        #expect(try await service.GET("/a", options: [.header(.cookie, "alice")]).json == [1])
        #expect(try await service.GET("/b", options: [.handlesCookies(false)]).json == [1])
        for options in [[], [Request.Option.header(.cookie, "bob")], [.handlesCookies(false)]] {
            await #expect(throws: ServiceError.self) { try await service.GET("/a", options: options).json }
        }
        await #expect(throws: ServiceError.self) { try await service.GET("/b").json }
    }
}
