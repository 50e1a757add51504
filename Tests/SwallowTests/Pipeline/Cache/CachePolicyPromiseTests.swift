import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The table of policies: when a request is sent, and what happens if the server can't be reached.
@Suite("The promises of cache policies")
struct CachePolicyPromiseTests {
    private let clock = ManualClock(now: Date(timeIntervalSince1970: 1_795_327_200))
    private let server = CachingServer {
        $0.answer(
            "[1]", headers: ["Content-Type": "application/json", "Cache-Control": "max-age=60", "ETag": "v"])
    }

    private func service(cache: (any EntityCache)? = MemoryCache()) -> WebService {
        var service = WebService.test(server)
        service.clock = clock
        if let cache { service.configure { $0.pipeline[.parsing].cacheUsing(cache) } }
        return service
    }

    struct Promise: Sendable {
        let policy: CachePolicy
        /// Whether a request is sent if a fresh response or a stale response is stored.
        let sendsIfFresh: Bool
        var sendsIfStale = true
        /// Whether the request has validators.
        var validates = true
        /// Whether a stale response is served if the server can't be reached.
        let isServedOffline: Bool
    }

    private static let promises = [
        Promise(policy: .standard, sendsIfFresh: false, isServedOffline: true),
        Promise(policy: .preferCache(maxAge: .seconds(30)), sendsIfFresh: false, isServedOffline: true),
        Promise(
            policy: .preferCache(maxAge: .seconds(120)), sendsIfFresh: false, sendsIfStale: false,
            isServedOffline: true),
        Promise(policy: .validate, sendsIfFresh: true, isServedOffline: false),
        Promise(policy: .networkFirst, sendsIfFresh: true, validates: false, isServedOffline: true),
        Promise(policy: .reload, sendsIfFresh: true, validates: false, isServedOffline: false),
        Promise(policy: .ignore, sendsIfFresh: true, validates: false, isServedOffline: false),
        Promise(policy: .onlyCache, sendsIfFresh: false, sendsIfStale: false, isServedOffline: true),
    ]

    @Test("Each policy sends its requests, and serves its stored responses offline", arguments: promises)
    func policy(_ promise: Promise) async throws {
        let service = service()
        let options: [Request.Option] = [.cachePolicy(promise.policy)]
        for (age, isSent) in [(59.0, promise.sendsIfFresh), (61, promise.sendsIfStale)] {
            _ = try await service.GET("/a", options: [.cachePolicy(.reload)]).json
            clock.advance(by: .seconds(age))
            let count = server.requests.values.count
            #expect(try await service.GET("/a", options: options).json == [1])
            #expect(server.requests.values.count == count + (isSent ? 1 : 0), "\(age)")
            if isSent {
                let tag = server.requests.values.last?.value(forHTTPHeaderField: "If-None-Match")
                #expect((tag == "v") == promise.validates)
            }
        }
        _ = try await service.GET("/a", options: [.cachePolicy(.reload)]).json
        clock.advance(by: .seconds(100_000))
        server.goOffline()
        let result = await service.GET("/a", options: options).result
        #expect((try? result.get().isFromCache) ?? false == promise.isServedOffline)
    }

    @Test("A stage with a cache follows RFC 9111 by default")
    func standard() async throws {
        let service = service()
        for _ in 0..<3 { #expect(try await service.GET("/a").json == [1]) }
        #expect(server.requests.values.count == 1)
        clock.advance(by: .seconds(61))
        server.goOffline()
        #expect(try await service.GET("/a").result.get().isFromCache)
    }

    @Test("reload sends a request and stores its response, and ignore doesn't", arguments: [true, false])
    func reload(isStored: Bool) async throws {
        let service = service()
        _ = try await service.GET("/a").json
        server.now {
            $0.answer("[2]", headers: ["Content-Type": "application/json", "Cache-Control": "max-age=60"])
        }
        let policy = isStored ? CachePolicy.reload : .ignore
        #expect(try await service.GET("/a", options: [.cachePolicy(policy)]).json == [2])
        #expect(try await service.GET("/a").json == (isStored ? [2] : [1]))
        #expect(server.requests.values.count == 2)
    }

    @Test("A server error isn't a reason for validate to serve a stored response")
    func serverError() async throws {
        let service = service()
        server.now { $0.answer("[1]", headers: ["Cache-Control": "max-age=60, stale-if-error=600"]) }
        _ = try await service.GET("/a").data
        clock.advance(by: .seconds(61))
        server.now { $0.answer("", status: 503) }
        let result = await service.GET("/a", options: [.cachePolicy(.validate)]).result
        #expect(result.failure?.statusCode == 503)
        #expect(try await service.GET("/a").result.get().isFromCache)
    }

    // MARK: - The data source's own cache

    @Test("If a stage has a cache, no request uses the data source's own cache")
    func transportCache() async throws {
        let service = service()
        let stub = StubDataSource()
        stub.stub(.GET, "/latest", .status(302, headers: ["Location": "/a"])).stub(.GET, "/a", .json([1]))
        var redirected = WebService.test(stub)
        redirected.configure { $0.pipeline[.parsing].cacheUsing(MemoryCache()) }
        _ = await service.GET("/a").result
        _ = await service.GET("/b", options: [.cachePolicy(.ignore)]).result
        _ = await service.GET("/c", options: [.header("Range", "bytes=0-1")]).result
        _ = await service.POST("/d").result
        _ = try await redirected.GET("/latest").json
        let policies = server.requests.values.map(\.cachePolicy)
        #expect(policies == Array(repeating: .reloadIgnoringLocalCacheData, count: 4))
        #expect(
            stub.requests.map(\.cachePolicy) == [
                .reloadIgnoringLocalCacheData, .reloadIgnoringLocalCacheData,
            ])
    }

    @Test(
        "Without a cache, the data source's own cache works, except under the policies that require the server",
        arguments: [
            (CachePolicy.standard, true), (.preferCache(maxAge: .seconds(60)), true), (.validate, false),
            (.networkFirst, false), (.reload, false), (.ignore, false),
        ])
    func noCache(policy: CachePolicy, usesProtocol: Bool) async throws {
        let service = service(cache: nil)
        _ = try await service.GET("/a", options: [.cachePolicy(policy)]).json
        let expected: URLRequest.CachePolicy =
            usesProtocol ? .useProtocolCachePolicy : .reloadIgnoringLocalCacheData
        #expect(server.requests.values.map(\.cachePolicy) == [expected])
    }
}
