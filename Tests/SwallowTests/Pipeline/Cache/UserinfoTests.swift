import Foundation
import SwallowTesting
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A base URL with user info")
struct UserinfoTests {
    enum Kind: CaseIterable, Sendable { case memory, disk }

    private let folder = TemporaryFolder()
    private let server = CachingServer { exchange in
        exchange.answer(#"["\#(exchange.request.url?.user ?? "nobody")"]"#, headers: UserinfoTests.fresh)
    }

    private static let fresh = ["Content-Type": "application/json", "Cache-Control": "max-age=3600"]

    private func cache(_ kind: Kind) -> any EntityCache {
        switch kind {
        case .memory: MemoryCache()
        case .disk: DiskCache(folder: folder.url)
        }
    }

    private func service(_ cache: any EntityCache, user: String = "ann:pw@") -> WebService {
        var service = WebService.test(server, base: "http://\(user)service.test/v1")
        service.configure {
            $0.cachePolicy = .standard
            $0.pipeline[.rawData].cacheUsing(cache)
        }
        return service
    }

    private func origin(_ task: ServiceTask) async throws -> EntityOrigin {
        try await task.result.get().origin
    }

    @Test("Its responses are wiped by a pattern, and no others", arguments: Kind.allCases)
    func wipe(kind: Kind) async throws {
        let cache = cache(kind)
        let service = service(cache)
        for path in ["/account", "/account/cards", "/stores"] as [Request.Path] {
            _ = try await service.GET(path).data
        }
        await cache.workQueue.drained()
        service.wipeCaches("/account**")
        #expect(try await origin(service.GET("/account")) == .network)
        #expect(try await origin(service.GET("/account/cards")) == .network)
        #expect(try await origin(service.GET("/stores")) == .cache)
    }

    @Test(
        "A wipe removes the files",
        arguments: ["/account**", "http://service.test/v1/account**"] as [URLPattern])
    func files(pattern: URLPattern) async throws {
        let cache = DiskCache(folder: folder.url)
        let service = service(cache)
        _ = try await service.GET("/account/cards").data
        await cache.workQueue.drained()
        #expect(folder.names.count == 1)
        service.wipeCaches(pattern)
        await cache.workQueue.drained()
        #expect(folder.names.isEmpty)
    }

    @Test("A write invalidates every representation", arguments: Kind.allCases)
    func write(kind: Kind) async throws {
        let cache = cache(kind)
        let service = service(cache)
        let representations = ["application/json", "application/hal+json"]
        func get(_ type: String) -> ServiceTask { service.GET("/account", options: [.header(.accept, type)]) }
        for type in representations { _ = try await get(type).data }
        await cache.workQueue.drained()
        for type in representations { #expect(try await origin(get(type)) == .cache) }
        _ = try await service.PUT("/account").data
        for type in representations { #expect(try await origin(get(type)) == .network) }
    }

    @Test(
        "No key has it, and a request is served only responses to requests with the same",
        arguments: Kind.allCases)
    func users(kind: Kind) async throws {
        let cache = cache(kind)
        let users = ["", "ann:pw@", "bob:pw@", "ann:other@"]
        let keys = try users.map { cache.key(for: try sampleRequest("http://\($0)service.test/v1/account")) }
        #expect(keys == Array(repeating: "GET http://service.test/v1/account", count: 4))
        for user in users {
            #expect(try await origin(service(cache, user: user).GET("/account")) == .network)
            await cache.workQueue.drained()
        }
        for user in users {
            let entity = try await service(cache, user: user).GET("/account").result.get()
            let name = user.isEmpty ? "nobody" : String(user.prefix(3))
            #expect(entity.origin == .cache && entity.json == [.string(name)])
        }
        #expect(server.requests.values.count == 4)
        for name in folder.names {
            let bytes = try Data(contentsOf: folder.file(name))
            #expect(bytes.range(of: Data("pw".utf8)) == nil)
        }
    }
}
