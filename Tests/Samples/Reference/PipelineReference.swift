import Foundation
import Swallow
import SwallowLock
import SwallowTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension PipelineStageKey {
    static let decryption = PipelineStageKey(description: "decryption")
}

private struct Decryption: ResponseTransformer {
    func process(_ outcome: Outcome) -> Outcome { outcome }
}

private struct MenuParser: ResponseTransformer {
    func process(_ outcome: Outcome) -> Outcome {
        outcome.map { $0.withContent("menu") }
    }
}

final class Table: Sendable {
    private let rows = Lock<[String: Data]>([:])

    subscript(key: String) -> Data? {
        get { rows.withLock { $0[key] } }
        set { rows.withLock { $0[key] = newValue } }
    }

    func removeAll(where isUnwanted: (String) -> Bool) {
        rows.withLock { rows in rows = rows.filter { !isUnwanted($0.key) } }
    }
}

final class TableCache: EntityCache {
    let table: Table
    let workQueue = DispatchQueue(label: "TableCache")

    init(table: Table) { self.table = table }

    func read(_ key: String) -> CachedResponse? {
        table[key].flatMap { try? JSONDecoder().decode(CachedResponse.self, from: $0) }
    }

    func write(_ response: CachedResponse, for key: String) {
        table[key] = try? JSONEncoder().encode(response)
    }

    func updateTimestamp(_ timestamp: Date, for key: String) {
        guard var response = read(key) else { return }
        response.timestamp = timestamp
        write(response, for: key)
    }

    func remove(_ key: String) { table[key] = nil }
    func removeVariants(of key: String) { table.removeAll { $0 == key || $0.hasPrefix(key + "\n") } }
}

struct Tagging: SessionDataTaskDataSource {
    let base: any SessionDataTaskDataSource

    func dataTask(
        with request: URLRequest, completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        var request = request
        request.setValue(UUID().uuidString, forHTTPHeaderField: "X-Request-ID")
        return base.dataTask(with: request, completion: completion)
    }
}

struct Key {
    let id = "k1"
    func signature(of request: URLRequest, at date: Date) -> String { "\(request.httpMethod ?? "")-signed" }
}

struct Signer: Authenticator {
    let key: Key
    var identity: String? { key.id }

    func authorize(_ request: inout URLRequest) {
        request.setValue(key.signature(of: request, at: Date()), forHTTPHeaderField: "X-Signature")
    }

    func isRejection(_ response: HTTPURLResponse, of request: URLRequest) -> Bool { false }
    func refresh(after response: HTTPURLResponse, to request: URLRequest) {}
}

private actor Statistics {
    private(set) var codes: [Int] = []
    func count(_ code: Int) { codes.append(code) }
}

@Suite("The reference's pipelines and data sources")
struct PipelineReference {
    private let stub = StubDataSource()
    private var service: WebService {
        WebService(baseURLString: "https://api.example.com", dataSource: stub)
    }

    @Test("have transformers and stages")
    func transformers() async throws {
        var service = service
        service.configure("/menu.xml") { configuration in
            configuration.pipeline[.parsing].add(MenuParser(), contentTypes: ["*/xml", "*/*+xml"])
        }
        service.configure {
            $0.pipeline.order = [.rawData, .decryption, .decoding, .parsing, .model, .cleanup]
            $0.pipeline[.decryption].add(Decryption())
        }
        stub.stub(.GET, "/menu.xml", .data(Data("<m/>".utf8), contentType: "text/xml"))
        #expect(try await service.GET("/menu.xml").content(as: String.self) == "menu")
        let user = ResponseContentTransformer { (entity: Entity<JSON>) in try User(entity.content) }
        let entity = Entity<any Sendable>(content: ["id": 7, "name": "Ada"] as JSON)
        #expect(try user.process(.success(entity)).get().content is User)
    }

    @Test("make models")
    func models() async throws {
        stub.stub(.GET, "/users/7", .json(["id": 7, "name": "Ada"]))
        stub.stub(.GET, "/athletes", .json([["name": "Ann"]]))
        var service = service
        service.configureTransformer("/users/*") { (entity: Entity<JSON>) in try User(entity.content) }
        #expect(try await service.GET("/users/7").content(as: User.self).name == "Ada")
        service.configureTransformer("/users/*", decoding: User.self)
        #expect(try await service.GET("/users/7").content(as: User.self).name == "Ada")
        service.configureTransformer("/athletes", decoding: .array(.athlete))
        #expect(try await service.GET("/athletes").content(as: [Athlete].self).count == 1)
    }

    @Test("keep responses where the app wants them")
    func caches() async throws {
        let caches = FileManager.default.temporaryDirectory.appending(path: "swallow-\(UUID())")
        let folder = caches.appending(path: "api.example.com")
        let cache = DiskCache(folder: folder, sizeLimit: 50 << 20)
        #expect(cache.read("nothing") == nil)
        var service = service
        let table = TableCache(table: Table())
        service.configure { $0.pipeline[.rawData].cacheUsing(table) }
        stub.stub(.GET, "/a", .sequence([.json([1]), .failure(URLError(.notConnectedToInternet))]))
        #expect(try await service.GET("/a").json == [1])
        #expect(try await service.GET("/a").result.get().isFromCache)
    }

    @Test("wrap others, and sign")
    func dataSources() async throws {
        stub.stub(.GET, "/a", .json([1]))
        let statistics = Statistics()
        var service = service
        let standard = service.dataSource
        service.dataSource = intercepted(standard, statistics)
        service.configure { $0.authenticator = Signer(key: Key()) }
        _ = try await service.GET("/a").data
        #expect(stub.request(0)["X-Signature"] == "GET-signed")
        #expect(stub.request(0)["X-Request-ID"] != nil)
        #expect(await statistics.codes == [200])
        service.dataSource = Tagging(base: stub)
        _ = try await service.GET("/a").data
        #expect(stub.request(1)["X-Request-ID"] != nil)
    }

    private func intercepted(
        _ standardDataSource: some SessionDataTaskDataSource, _ statistics: Statistics
    ) -> any SessionDataTaskDataSource {
        let dataSource = standardDataSource.intercepting { request, next in
            var request = request
            request.setValue(UUID().uuidString, forHTTPHeaderField: "X-Request-ID")
            let response = try await next(request)
            await statistics.count(response.head.statusCode)
            return response
        }
        return dataSource
    }

    @Test("make tokens")
    func tokens() async throws {
        struct Person {
            let id = "ann"
            let refreshToken = "r"
        }
        let user = Person()
        let stored: TokenAuthenticator.Token? = nil
        var service = service
        stub.stub(.POST, "/token", .json(["token": "t", "ttl": 60])).stub(.GET, "/a", .json([1]))
        let authenticator = TokenAuthenticator(identity: user.id, token: stored) { [service] _ in
            let answer = service.POST("/token", parameters: ["refresh": user.refreshToken])
            let grant = try await answer.json
            let lifetime = grant["ttl"].int ?? 60
            return .init(try grant["token"].decode(), expiresIn: .seconds(lifetime))
        }
        service.configure { $0.authenticator = authenticator }
        _ = try await service.GET("/a").data
        #expect(stub.request(1)[.authorization] == "Bearer t")
    }
}
