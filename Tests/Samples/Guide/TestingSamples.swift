import Foundation
import Swallow
import SwallowResources
import SwallowTesting
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@MainActor
final class Finder {
    private let service: WebService
    private(set) var names: [String] = []
    private(set) var isLoading = false

    init(_ service: WebService) {
        self.service = service
    }

    func search(_ zipCode: String) -> Task<Void, Never> {
        isLoading = true
        let task = service.searchStores(zipCode: zipCode)
            .responseDecoded { (stores: [Store]) in self.names = stores.map(\.name) }
            .responseCompleted { _ in self.isLoading = false }
        return Task { _ = await task.result }
    }
}

@Suite("The guide's tests")
struct TestingSamples {
    private let stub = StubDataSource()
    private func makeService() -> WebService {
        WebService(baseURLString: "https://api.example.com/v1", dataSource: stub)
    }

    @Test func listShowsTheStores() async throws {
        let stub = StubDataSource()
        stub.stub(
            .GET, "/stores", query: ["zip": "15217"],
            .json([["id": 41, "name": "Squirrel Hill"]]))
        let service = WebService(
            baseURLString: "https://api.example.com/v1", dataSource: stub)
        let list = await Finder(service)

        await list.search("15217").value

        #expect(await list.names == ["Squirrel Hill"])
        try stub.verify()
    }

    @Test("show what was sent")
    func requests() async throws {
        let service = makeService()
        stub.stub(.POST, "/stores", .status(201))
        _ = try await service.POST("/stores", options: [.json(["name": "Squirrel Hill"])]).data

        #expect(stub.request(0).json["name"].string == "Squirrel Hill")
        #expect(stub.request(0)[.contentType] == "application/json")
        #expect(stub.count(.POST, "/stores") == 1)
        let url = stub.requests[0].url
        #expect(url?.path == "/v1/stores" && stub.request(0).url == url?.absoluteString)
    }

    @Test("have any answer")
    func answers() async throws {
        stub.stub(.GET, "/stores/41", .json(Store(id: 41, name: "Squirrel Hill")))
        stub.stub(
            .GET, "/flaky", .sequence([.failure(URLError(.networkConnectionLost)), .status(503), .json([])]))
        stub.stub(.PUT, "/echo", .dynamic { request in .data(request.httpBody ?? Data()) })
        stub.stub(.GET, "/old", .status(301, headers: ["Location": "/stores/41"]))
        stub.stub(
            .GET, "/feed",
            .parts([Data("a\n".utf8), Data("b\n".utf8)], failingWith: URLError(.networkConnectionLost)))
        let service = makeService()
        #expect(try await service.GET("/old").decoded(as: Store.self) == Store(id: 41, name: "Squirrel Hill"))
        let statuses = await [service.GET("/flaky").result, service.GET("/flaky").result]
        #expect(statuses.map { (try? $0.get())?.statusCode } == [nil, nil])
        #expect(try await service.GET("/flaky").json == [])
        #expect(
            try await service.PUT("/echo", options: [.body(Data("a".utf8), contentType: "a/b")]).data
                == Data("a".utf8))
        await #expect(throws: ServiceError.self) { try await service.GET("/feed").text }
    }

    @Test("have answers with a status and header fields")
    func fields() async throws {
        let link = #"</stores?page=2>; rel="next""#
        stub.stub(.GET, "/stores", .json([], headers: ["ETag": "\"1\"", "Link": link]))
        stub.stub(.POST, "/stores", .json(["message": "A store has a name."], status: 422))
        stub.stub(.GET, "/busy", .status(503, headers: ["Retry-After": "5"]))
        stub.stub(.GET, "/menu", .text("<menu/>", headers: ["Content-Type": "text/xml"]))
        stub.stub(.GET, "/logo", .data(Data([137, 80]), contentType: "image/png"))
        let service = makeService()
        let stores = try await service.GET("/stores").result.get()
        #expect(stores.headers["ETag"] == "\"1\"" && stores.headers["Link"] == link)
        await #expect { try await service.POST("/stores").json } throws: { error in
            (error as? ServiceError)?.json["message"] == "A store has a name."
        }
        let busy = await service.GET("/busy").result
        #expect(throws: ServiceError.self) { try busy.get() }
        #expect(try await service.GET("/menu").result.get().contentType == "text/xml")
        #expect(try await service.GET("/logo").result.get().contentType == "image/png")
    }

    @Test("refuse a token")
    func rejection() async throws {
        let plain = makeService()
        let authenticator = TokenAuthenticator(identity: "ann", token: .init("old", expires: nil)) { _ in
            let grant = try await plain.POST("/token").json
            return .init(try grant["token"].decode(), expiresIn: .seconds(grant["ttl"].int ?? 60))
        }
        let service = plain.configured { $0.authenticator = authenticator }
        stub.stub(.GET, "/me", .sequence([.status(401), .json(["name": "Ada"])]))
        stub.stub(.POST, "/token", .json(["token": "new", "ttl": 60]))

        #expect(try await service.GET("/me").json["name"].string == "Ada")
        #expect(stub.count(.POST, "/token") == 1)
    }

    @Test("wait for a wait")
    func retries() async throws {
        var service = makeService()
        let clock = ManualClock()
        service.clock = clock
        stub.stub(.GET, "/report", .sequence([.status(503), .text("done")]))
        let report = service.GET("/report", options: [.retry(.standard)])
        await clock.run(until: report)

        #expect(try await report.text == "done")
        #expect(stub.count(.GET, "/report") == 2)
    }

    @Test("see a spinner")
    func gates() async throws {
        let list = await Finder(makeService())
        let gate = Gate()
        stub.stub(.GET, "/stores", .json([]).held(by: gate))
        let search = await list.search("15217")
        try await gate.arrivals()
        #expect(await list.isLoading)

        gate.open()
        await search.value
        #expect(await !list.isLoading)
    }

    @Test("move the time")
    func time() async throws {
        var service = makeService()
        let clock = ManualClock()
        service.clock = clock
        stub.stub(.GET, "/slow", .text("at last").delayed(.seconds(60)))
        let task = service.GET("/slow", options: [.timeout(.seconds(30))])
        clock.advance(by: .seconds(30))

        await #expect { try await task.text } throws: { error in
            (error as? ServiceError)?.reason == .timedOut
        }
    }

    @Test("are about repositories")
    func repositories() async throws {
        let service = makeService()
        stub.stub(.PUT, "/users/7", .status(204))
        let renamed = try await Users(service: service).update(User(id: 7, name: "Ada Lovelace")).value
        #expect(renamed.name == "Ada Lovelace")
        #expect(stub.request(0).json["name"].string == "Ada Lovelace")
    }

    @Test("are about resources")
    @MainActor
    func resources() async throws {
        var service = makeService()
        let clock = ManualClock()
        service.clock = clock
        stub.stub(.GET, "/stores", .sequence([.json([["id": 41, "name": "Squirrel Hill"]]), .json([])]))
        let resources = ResourceStore(service: service)  // create one store, and keep it
        let stores = resources.resource("/stores", as: [Store].self)
        #expect(try await stores.loadIfNeeded().value.count == 1)
        #expect(stores.isUpToDate)

        clock.advance(by: .seconds(60))
        #expect(!stores.isUpToDate)
        #expect(try await stores.loadIfNeeded().value.isEmpty)
    }

    @Test("have a bad network")
    func network() async throws {
        var service = makeService()
        let clock = ManualClock()
        service.clock = clock
        stub.stub(.GET, "/stores", .json([]))
        service.dataSource = stub.degraded(latency: .milliseconds(400), loss: 0.2, bandwidth: 64_000, seed: 7)
        let task = service.GET("/stores")
        clock.advance(by: .seconds(2))
        _ = await task.result
        #expect(task.state == .completed)
    }
}
