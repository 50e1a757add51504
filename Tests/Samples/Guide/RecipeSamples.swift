import Foundation
import Observation
import Swallow
import SwallowResources
import SwallowTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@MainActor @Observable
final class StoreSearch {
    private let service: WebService
    private var task: ServiceTask?
    private(set) var stores: [Store] = []
    private(set) var message = ""

    init(_ service: WebService) { self.service = service }

    func search(_ text: String) {
        task?.cancel()
        task = service.GET("/search", parameters: ["q": text])
            .responseDecoded { (stores: [Store]) in
                self.stores = stores
                self.message = ""
            }
            .responseError { error in
                if !error.isCancelled { self.message = error.userMessage }
            }
    }
}

extension StoreSearch {
    fileprivate func finished() async { _ = await task?.result }
}

@MainActor @Observable
final class SearchField {
    private let service: WebService
    private let pause: Duration
    private var typing: Task<Void, Never>?
    private(set) var stores: [Store] = []
    private(set) var message = ""

    init(_ service: WebService, pause: Duration = .milliseconds(300)) {
        self.service = service
        self.pause = pause
    }

    func textChanged(_ text: String) {
        typing?.cancel()
        typing = Task {
            do {
                try await Task.sleep(for: pause)
                stores = try await service.GET("/search", parameters: ["q": text]).decoded()
                message = ""
            } catch let error as ServiceError {
                if !error.isCancelled { message = error.userMessage }
            } catch {}  // the pause was cancelled
        }
    }
}

extension SearchField {
    fileprivate func finished() async { await typing?.value }
}

struct Repo: Decodable, Sendable {
    let name: String
}

struct Repos: Readable {
    typealias Model = Repo
    let service: WebService
    let name: Request.Path
    let pagination = Pagination.link
}

struct Routing: SessionDataTaskDataSource {
    let inside, outside: any SessionDataTaskDataSource

    func dataTask(
        with request: URLRequest, completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        let isInside = request.url?.host()?.hasSuffix(".internal") == true
        return (isInside ? inside : outside).dataTask(with: request, completion: completion)
    }
}

struct Reading: Equatable, Sendable {
    struct TooShort: Error {}

    var sensor: UInt8
    var value: UInt8

    init(sensor: UInt8, value: UInt8) {
        self.sensor = sensor
        self.value = value
    }

    init(bytes: Data) throws {
        guard bytes.count == 2, let sensor = bytes.first, let value = bytes.last else { throw TooShort() }
        self.init(sensor: sensor, value: value)
    }

    var bytes: Data { Data([sensor, value]) }
}

@MainActor
@Suite("The guide's recipes")
struct RecipeSamples {
    private let stub = StubDataSource()
    private var service: WebService {
        WebService(baseURLString: "https://api.example.com", dataSource: stub)
    }

    @Test("begin with a service that can be configured")
    func configured() async throws {
        var service = WebService(baseURLString: "https://api.example.com/v1")
        service.configure { $0.timeout = .seconds(30) }
        let reports = service.configured("/reports/**") { $0.timeout = .seconds(120) }
        var same = reports
        same.dataSource = stub
        stub.stub(.GET, "/reports/1", .json([]))
        #expect(try await same.GET("/reports/1").json == [])
    }

    @Test("authenticate")
    func credentials() async throws {
        let (password, token, key, name) = ("word", "t", "k", "ann")
        stub.stub(.json([]), when: { _ in true })
        try await service(configured: { service in
            service.configure { $0.authenticator = .basic("ann", password) }
        }) { request in #expect(request[.authorization] == "Basic YW5uOndvcmQ=") }
        try await service(configured: { service in
            service.configure { $0.headers[.authorization] = "Bearer \(token)" }
        }) { request in #expect(request[.authorization] == "Bearer t") }
        try await service(configured: { service in
            service.configure { $0.headers["X-Api-Key"] = key }
        }) { request in #expect(request["X-Api-Key"] == "k") }
        try await service(configured: { service in
            service.configure { configuration in
                configuration.adaptRequest { request in
                    request.url?.append(queryItems: [URLQueryItem(name: "api_key", value: key)])
                }
            }
        }) { request in #expect(request.query("api_key") == "k") }
        stub.stub(.POST, "/stores", .json(["id": 43, "name": "Greenfield"]))
        let new = ["name": "Greenfield"]
        let made = try await service.POST("/stores", options: [.json(new)]).decoded(as: Store.self)
        #expect(made.name == "Greenfield")
        #expect(stub.requests.last?.httpBody == Data(#"{"name":"Greenfield"}"#.utf8))
        let login = service.POST("/login", parameters: ["user": name, "password": password])
        try await login.finished()
        #expect(stub.requests.last?.httpBody == Data("user=ann&password=word".utf8))
    }

    private func service(
        configured configure: (inout WebService) -> Void, expecting check: (SentRequest) -> Void
    ) async throws {
        var service = service
        configure(&service)
        _ = try await service.GET("/me").data
        check(stub.request(stub.requests.count - 1))
    }

    @Test("follow links from page to page")
    func pages() async throws {
        let link = #"<https://api.example.com/users/ada/repos?page=2>; rel="next""#
        stub.stub(.GET, "/users/ada/repos", .json([["name": "one"]], headers: ["Link": link]))
        stub.stub(.GET, "/users/ada/repos", query: ["page": "2"], .json([["name": "two"]]))
        let service = service
        var names: [String] = []
        let repos = Repos(service: service, name: "users/ada/repos")
        for try await repo in repos.models() { names.append(repo.name) }
        #expect(names == ["one", "two"])
    }

    @Test("ask whether a response has changed")
    func validators() async throws {
        stub.stub(.GET, "/menu", .json(["soup"], headers: ["ETag": "\"1\""]))
        stub.stub(
            .GET, "/menu", headers: ["If-None-Match": "\"1\""], .status(304, headers: ["ETag": "\"1\""]))
        var service = service
        service.configure("/menu") { configuration in
            configuration.pipeline[.parsing].cacheUsing(MemoryCache())
            configuration.cachePolicy = .validate
        }
        #expect(try await service.GET("/menu").json == ["soup"])
        let entity = try await service.GET("/menu").result.get()
        #expect(entity.json == ["soup"] && entity.origin == .revalidated)
    }

    @Test("begin with what the disk has")
    func offlineFirst() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "swallow-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let answer = StubResponse.json([["id": 41, "name": "Squirrel Hill"]])
        stub.stub(.GET, "/stores", .sequence([answer, .failure(URLError(.notConnectedToInternet))]))
        var service = service
        service.configure { $0.pipeline[.rawData].cacheUsing(DiskCache(folder: folder)) }
        let resources = ResourceStore(service: service)  // create one store, and keep it
        let stores = resources.resource("/stores", as: [Store].self)
        stores.loadIfNeeded()  // shows stored data, and sends a request if necessary

        _ = try await stores.loadIfNeeded().value
        let later = ResourceStore(service: service).resource("/stores", as: [Store].self)
        _ = await later.load().result
        #expect(later.latestContent?.count == 1 && later.latestError != nil)
    }

    @Test("search while somebody types")
    func search() async throws {
        stub.stub(.GET, "/search", .json([["id": 41, "name": "Squirrel Hill"]]))
        let search = StoreSearch(service)
        search.search("s")
        search.search("squ")
        await search.finished()
        #expect(search.stores.map(\.id) == [41] && search.message.isEmpty)
        let field = SearchField(service, pause: .zero)
        field.textChanged("squi")
        field.textChanged("squir")
        await field.finished()
        #expect(field.stores.map(\.id) == [41] && field.message.isEmpty)
        stub.stub(.GET, "/search", .status(503))
        field.textChanged("squirr")
        await field.finished()
        #expect(field.message == "The server has a problem. Try again later.")
    }

    @Test("serve programs and servers")
    func programs() async throws {
        stub.stub(.GET, "/stores", .json([["id": 41, "name": "Squirrel Hill"]]))
        let zipCode = "15217"
        let service = service
        do throws(ServiceError) {
            let stores = try await service.searchStores(zipCode: zipCode).decoded(as: [Store].self)
            for store in stores { print(store.id, store.name) }
        } catch {
            try FileHandle.standardError.write(contentsOf: Data("\(error.userMessage)\n".utf8))
            exit(1)
        }
    }

    @Test("choose among data sources")
    func routing() async throws {
        let (own, other) = (StubDataSource(), StubDataSource())
        own.stub(.GET, "/a", .json(["inside"]))
        other.stub(.GET, "/a", .json(["outside"]))
        let service = WebService(
            baseURLString: "https://build.internal", dataSource: Routing(inside: own, outside: other))
        #expect(try await service.GET("/a").json == ["inside"])
    }

    @Test("read and write bytes")
    func binary() async throws {
        stub.stub(.GET, "/readings/1", .data(Data([1, 20]), contentType: "application/x-reading"))
        stub.stub(.PUT, "/readings/1", .status(204))
        var service = service
        service.configure("/readings/**") { configuration in
            configuration.pipeline[.parsing].add(
                ResponseContentTransformer { (entity: Entity<Data>) in try Reading(bytes: entity.content) },
                contentTypes: ["application/x-reading"])
        }
        let reading = try await service.GET("/readings/1").content(as: Reading.self)
        let sent = service.PUT(
            "/readings/1", options: [.body(reading.bytes, contentType: "application/x-reading")])
        _ = try await sent.data
        #expect(reading == Reading(sensor: 1, value: 20) && stub.request(1).body == Data([1, 20]))
    }
}
