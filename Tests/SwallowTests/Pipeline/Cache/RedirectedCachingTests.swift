import Foundation
import LoopbackServer
import SwallowResources
import SwallowTesting
import TestSupport
import Testing

import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A server that redirects other paths to a page that the test chooses. Each page has its own validators.
final class MovingServer: Sendable {
    struct Page: Sendable {
        let body: String
        let fields: [String: String]
        /// Whether the page responds with 304 to any validator.
        var isStubborn = false
    }

    private let pages: [String: Page]
    private let target: Lock<String>
    private let fields: [String: String]
    let server: LoopbackServer

    init(_ pages: [String: Page], redirectFields: [String: String] = [:]) throws {
        let target = Lock("/v2")
        (self.pages, self.target, fields) = (pages, target, redirectFields)
        server = try LoopbackServer { request in
            guard let page = pages[request.path] else {
                var redirect = LoopbackServer.Response.redirect(to: target.withLock { $0 })
                redirect.headers += redirectFields.map { (name: $0.key, value: $0.value) }
                return .respond(redirect)
            }
            let tag = request.header("If-None-Match")
            let date = request.header("If-Modified-Since")
            let isMatching =
                if page.isStubborn { tag ?? date != nil } else if let tag { tag == page.fields["ETag"] } else
                {
                    date != nil && date == page.fields["Last-Modified"]
                }
            var response =
                isMatching
                ? LoopbackServer.Response.status(304)
                : .data(
                    Data(page.body.utf8), contentType: "application/json")
            response.headers += page.fields.map { (name: $0.key, value: $0.value) }
            return .respond(response)
        }
    }

    func move(to path: String) { target.withLock { $0 = path } }

    /// The paths of the conditional requests.
    var validatedPaths: [String] {
        server.requests.filter { $0.header("If-None-Match") ?? $0.header("If-Modified-Since") != nil }.map(
            \.path)
    }

    /// Returns a server whose second page, `/v1`, has only a date and responds with 304 to any validator.
    static func date() throws -> MovingServer {
        let date = "Sat, 21 Nov 2026 00:00:00 GMT"
        return try MovingServer([
            "/v2": Page(body: "[2]", fields: ["ETag": "\"2\"", "Last-Modified": date]),
            "/v1": Page(body: "[1]", fields: ["Last-Modified": date], isStubborn: true),
        ])
    }

    /// Returns a server whose pages have the same tag.
    static func tag() throws -> MovingServer {
        try MovingServer([
            "/v2": Page(body: "[2]", fields: ["ETag": "\"same\""]),
            "/v1": Page(body: "[1]", fields: ["ETag": "\"same\""]),
        ])
    }
}

@Suite("Caches where redirects move")
struct RedirectedCachingTests {
    enum Kind: CaseIterable, Sendable { case date, tag }
    enum Place: CaseIterable, Sendable { case memory, disk }

    /// Swallow's data sources, and a plain session that follows redirects itself and keeps all header fields.
    enum Source: CaseIterable, Sendable {
        case standard, session, foreign

        var dataSource: any SessionDataTaskDataSource {
            switch self {
            case .standard: WebService.standardDataSource
            case .session: URLSessionDataSource()
            case .foreign: URLSession(configuration: .ephemeral)
            }
        }
    }

    private let folder = TemporaryFolder()

    private func server(_ kind: Kind) throws -> MovingServer {
        switch kind {
        case .date: try .date()
        case .tag: try .tag()
        }
    }

    private func service(
        _ server: MovingServer, _ place: Place?,
        _ source: any SessionDataTaskDataSource = Source.standard.dataSource
    ) -> WebService {
        var service = WebService.test(source, base: server.server.baseURLString)
        let cache: (any EntityCache)? =
            switch place {
            case .memory?: MemoryCache()
            case .disk?: DiskCache(folder: folder.url)
            case nil: nil
            }
        service.configure { configuration in
            if let cache { configuration.pipeline[.rawData].cacheUsing(cache) }
        }
        return service
    }

    @Test(
        "What a redirect led to before isn't taken for what it leads to now", arguments: Kind.allCases,
        Source.allCases)
    func moved(kind: Kind, source: Source) async throws {
        for place in Place.allCases {
            let server = try server(kind)
            let service = service(server, place, source.dataSource)
            for caching in [
                CachePolicy.validate, .preferCache(maxAge: .zero), .preferCache(maxAge: .seconds(1000)),
            ] {
                server.move(to: "/v2")
                let options: [Request.Option] = [.cachePolicy(caching)]
                #expect(try await service.GET("/latest", options: options).json == [2])
                server.move(to: "/v1")
                let entity = try await service.GET("/latest", options: options).result.get()
                #expect(entity.json == [1] && entity.origin == .network, "\(caching) \(place)")
            }
            #expect(server.validatedPaths == [])
        }
    }

    @Test(
        "A resource without a cache shows what a redirect leads to now", arguments: Kind.allCases,
        Source.allCases)
    @MainActor
    func resource(kind: Kind, source: Source) async throws {
        let server = try server(kind)
        let store = ResourceStore(service: service(server, nil, source.dataSource))
        let latest = store.resource("/latest", as: [Int].self)
        #expect(try await latest.load().value == [2])
        server.move(to: "/v1")
        #expect(try await latest.load().value == [1])
        #expect(latest.latestEntity?.origin == .network)
        #expect(server.validatedPaths == [])
    }

    @Test(
        "What came from the URL itself isn't confirmed by where that leads to later",
        arguments: Kind.allCases,
        Source.allCases)
    @MainActor
    func movedAway(kind: Kind, source: Source) async throws {
        let server = try server(kind)
        let isMoved = Lock(false)
        let home = try LoopbackServer { [base = server.server.baseURLString] request in
            if isMoved.withLock({ $0 }) { return .respond(.redirect(to: base + "/v1")) }
            var response = LoopbackServer.Response.json("[2]")
            response.headers += [
                (name: "ETag", value: "\"same\""),
                (name: "Last-Modified", value: "Sat, 21 Nov 2026 00:00:00 GMT"),
            ]
            return .respond(response)
        }
        for place in [nil, Place.memory, .disk] {
            isMoved.withLock { $0 = false }
            var service = service(server, place, source.dataSource)
            service = WebService.test(source.dataSource, base: home.baseURLString)
            if let place {
                let cache: any EntityCache = place == .memory ? MemoryCache() : DiskCache(folder: folder.url)
                service.configure { $0.pipeline[.rawData].cacheUsing(cache) }
            }
            let page = ResourceStore(service: service).resource("/page", as: [Int].self)
            #expect(try await page.load().value == [2])
            isMoved.withLock { $0 = true }
            #expect(try await page.load().value == [1])
            #expect(page.latestEntity?.origin == .network)
        }
    }

    @Test("Those of Swallow's sources send no cache's validators to where a redirect leads")
    func notSent() async throws {
        for source in [Source.standard, .session] {
            let server = try MovingServer.date()
            let isMoved = Lock(false)
            let home = try LoopbackServer { [base = server.server.baseURLString] request in
                if request.path == "/b" { return .respond(.json("[1]")) }
                if isMoved.withLock({ $0 }) {
                    return .respond(.redirect(to: request.path == "/far" ? base + "/v1" : "/b"))
                }
                var response = LoopbackServer.Response.json("[2]")
                response.headers.append((name: "ETag", value: "\"a\""))
                return .respond(response)
            }
            var service = WebService.test(source.dataSource, base: home.baseURLString)
            service.configure { $0.pipeline[.rawData].cacheUsing(MemoryCache()) }
            let revalidating: [Request.Option] = [.cachePolicy(.validate)]
            for path in ["/near", "/far"] as [Request.Path] { _ = try await service.GET(path).json }
            isMoved.withLock { $0 = true }
            for path in ["/near", "/far"] as [Request.Path] {
                #expect(try await service.GET(path, options: revalidating).json == [1])
            }
            #expect(server.validatedPaths == [])
            let validated = home.requests.filter { $0.header("If-None-Match") != nil }.map(\.path)
            #expect(validated == ["/near", "/far"])
        }
    }

    @Test("The caller's own conditions travel within an origin, and no further")
    func ownConditions() async throws {
        let other = try LoopbackServer()
        let home = try LoopbackServer()
        let service = WebService.test(WebService.standardDataSource, base: home.baseURLString)
        let options: [Request.Option] = [.header("If-None-Match", "\"mine\"")]
        let near = try await service.GET("/redirect-to?url=/echo", options: options).json
        #expect(near["headers"]["if-none-match"] == "\"mine\"")
        let path = Request.Path("/redirect-to?url=\(other.baseURLString)/echo")
        #expect(try await !service.GET(path, options: options).json["headers"]["if-none-match"].exists)
    }

    @Test("A range on a condition goes to another origin with it or not at all")
    func ranges() throws {
        let url = try #require(URL(string: "http://a.test/x"))
        let response = try #require(
            HTTPURLResponse(
                url: url, statusCode: 302, httpVersion: nil, headerFields: ["Location": "http://b.test/y"]))
        var request = URLRequest(url: url)
        request.setValue("bytes=5-", forHTTPHeaderField: "Range")
        let next = try RedirectPolicy.follow().request(after: response, to: request, count: 0)
        #expect(next?.value(forHTTPHeaderField: "Range") == "bytes=5-")
        request.setValue("\"a\"", forHTTPHeaderField: "If-Range")
        let bare = try RedirectPolicy.follow().request(after: response, to: request, count: 0)
        #expect(bare?.value(forHTTPHeaderField: "Range") == nil)
        #expect(bare?.value(forHTTPHeaderField: "If-Range") == nil)
    }

    @Test(
        "What came by a redirect is no hit, but serves offline and where only caches are asked",
        arguments: Place.allCases)
    func onlyInstead(place: Place) async throws {
        let stub = StubDataSource()
        stub.stub(.GET, "/latest", .status(302, headers: ["Location": "/v2", "Cache-Control": "no-store"]))
        stub.stub(.GET, "/v2", .json([2]))
        let cache: any EntityCache = place == .memory ? MemoryCache() : DiskCache(folder: folder.url)
        var service = WebService.test(stub)
        service.configure { $0.pipeline[.rawData].cacheUsing(cache) }
        let prefer = Request.Option.cachePolicy(.preferCache(maxAge: .seconds(1000)))
        for _ in 0..<2 {
            #expect(try await !service.GET("/latest", options: [prefer]).result.get().isFromCache)
        }
        #expect(stub.requests.count == 4)
        #expect(try await service.GET("/latest", options: [.cachePolicy(.onlyCache)]).json == [2])
        stub.stub(.GET, "/latest", .failure(URLError(.notConnectedToInternet)))
        #expect(try await service.GET("/latest").result.get().isFromCache)
    }

    @Test(
        "A write to the target forgets what redirects led to, in all its variants", arguments: Place.allCases)
    func written(place: Place) async throws {
        let stub = StubDataSource()
        for path in ["/latest", "/newest"] as [URLPattern] {
            stub.stub(.GET, path, .status(302, headers: ["Location": "/v2?a=1"]))
        }
        stub.stub(.GET, "/v2", .json([2], headers: ["Vary": "X-Plan"]))
        stub.stub(.PUT, "/v2", .json([]))
        stub.stub(.PUT, "/v1", .json([]))
        let cache: any EntityCache = place == .memory ? MemoryCache() : DiskCache(folder: folder.url)
        var service = WebService.test(stub)
        service.configure { $0.pipeline[.rawData].cacheUsing(cache) }
        let only = Request.Option.cachePolicy(.onlyCache)
        let validated: [(Request.Path, [Request.Option])] = [
            ("/latest", []), ("/newest", [.header("X-Plan", "a")]), ("/newest", [.header("X-Plan", "b")]),
            ("/newest", [.header("Accept", "text/html")]),
        ]
        for (path, options) in validated { _ = try await service.GET(path, options: options).json }
        _ = try await service.PUT("/v1").result.get()
        for (path, options) in validated {
            #expect(try await service.GET(path, options: options + [only]).json == [2])
        }
        _ = try await service.PUT("/v2?a=1").result.get()
        for (path, options) in validated {
            let result = await service.GET(path, options: options + [only]).result
            #expect(throws: ServiceError.self) { try result.get() }
        }
    }

    @Test("A write that is redirected forgets where it landed", arguments: Place.allCases)
    func redirectedWrite(place: Place) async throws {
        let stub = StubDataSource()
        stub.stub(.GET, "/v2", .json([2])).stub(.GET, "/v1", .json([1]))
        stub.stub(.PUT, "/latest", .status(307, headers: ["Location": "/v2"])).stub(.PUT, "/v2", .json([]))
        let cache: any EntityCache = place == .memory ? MemoryCache() : DiskCache(folder: folder.url)
        var service = WebService.test(stub)
        service.configure { $0.pipeline[.rawData].cacheUsing(cache) }
        for path in ["/v1", "/v2"] as [Request.Path] { _ = try await service.GET(path).json }
        _ = try await service.PUT("/latest", options: [.json(["a"])]).result.get()
        let only = Request.Option.cachePolicy(.onlyCache)
        #expect(await service.GET("/v2", options: [only]).result.failure?.reason == .notCached)
        #expect(try await service.GET("/v1", options: [only]).json == [1])
    }
}
