import Foundation
import SwallowTesting
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Storing responses (RFC 9111 §3), and selecting them by `Vary` (§4.1).
extension StandardCachingTests {
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
        for (path, fields, isStored) in [
            ("/a", "no-store, max-age=60", false), ("/b", "no-store, must-understand, max-age=60", true),
            ("/c", "must-understand, max-age=60", true), ("/e", "must-understand, max-age=60", false),
        ] as [(Request.Path, String, Bool)] {
            answer("[1]", ["Cache-Control": fields], status: path == "/e" ? 299 : 200)
            _ = try await service.GET(path).json
            #expect((try await service.GET(path).result.get().origin == .cache) == isStored, "\(fields)")
        }
        answer(["Cache-Control": "max-age=60"])
        let options: [Request.Option] = [.header("Cache-Control", "no-store")]
        for _ in 0..<2 {
            #expect(try await service.GET("/d", options: options).result.get().origin == .network)
        }
        #expect(try await service.GET("/d").result.get().origin == .network)
    }

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

    @Test("Two reads at once send one request with coalescing, and two without", arguments: [true, false])
    func coalescing(isCoalescing: Bool) async throws {
        let source = ManualDataSource()
        var service = isCoalescing ? WebService.test(source.coalescing()) : WebService.test(source)
        service.configure { configuration in
            configuration.cachePolicy = .standard
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
}
