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
final class StoresScreen {
    private let stores: Resource<[Store]>
    var names: [String] { stores.latestContent?.map(\.name) ?? [] }
    var problem: String? { stores.latestError?.userMessage }

    init(_ resources: ResourceStore) {
        stores = resources.resource("/stores", as: [Store].self)
    }

    func appear() { stores.loadIfNeeded() }
}

extension StoresScreen {
    fileprivate func loaded() async throws { _ = try await stores.loadIfNeeded().value }
}

/// The code in the last column of the migration pages' tables, except code that another sample contains.
@MainActor
@Suite("What those write who come from elsewhere")
final class ComingFromSamples {
    final class Watcher: ResourceObserver {
        var events = 0

        func resourceChanged(_ resource: any AnyResource, event: ResourceEvent) {
            events += 1
        }
    }

    private struct UserName {
        let id: String
    }

    final class Label {
        var text = ""

        func show(_ state: ResourceState<Profile>) {
            if case .loaded(let profile) = state { text = profile.name }
        }
    }

    private let stub = StubDataSource()
    private var service: WebService {
        WebService(baseURLString: "https://api.example.com/v1", dataSource: stub)
    }
    private var message = ""
    private var user: User?
    private var stores: [Store] = []

    @Test("requests")
    func requests() async throws {
        stub.stub(.json([]), when: { _ in true })
        let (zip, name) = ("15217", "Squirrel Hill")
        struct Filter: Encodable { let zip: String }
        let (filter, store) = (Filter(zip: zip), Store(id: 41, name: name))
        var service = service
        service.configure { configuration in
            configuration.acceptableStatusCodes = [200..<300, 304]
        }
        let tasks = [
            service.GET("/stores", parameters: ["zip": zip]),
            service.GET("/stores", parameters: Parameters(encoding: filter)),
            service.searchStores(zipCode: zip),
            service.POST("/stores", parameters: ["name": name]),
            service.POST("/stores", options: [.json(store)]),
            service.GET("/stores", options: [.header(.accept, "text/csv")]),
            service.GET(
                "/stores",
                options: [.acceptableStatusCodes([200, 304]), .cachePolicy(.reload)]),
        ]
        for task in tasks { _ = try await task.data }
        #expect(stub.requests.prefix(3).allSatisfy { $0.url?.query == "zip=15217" })
        #expect(stub.request(3).text == "name=Squirrel%20Hill")
        #expect(stub.request(4).json == ["id": 41, "name": "Squirrel Hill"])
        #expect(stub.request(5)[.accept] == "text/csv")
    }

    @Test("responses")
    func responses() async throws {
        stub.stub(.GET, "/stores", .sequence([.json([]), .status(500)]))
        let service = service
        let outcome = await service.GET("/stores").result
        #expect(try outcome.get().json == [])
        let failed = service.GET("/stores")
            .responseError { error in
                if error.isServerError { self.message = "busy" }
            }
        _ = await failed.result
        #expect(message == "busy")
    }

    @Test("closures that fit a line")
    func closures() async throws {
        stub.stub(.json(["id": 7, "name": "Ada"]), when: { _ in true })
        let (id, user, film) = ("1", UserName(id: "7"), URL(filePath: #filePath))
        var service = service
        @Sendable func refreshed(_ rejected: TokenAuthenticator.Token?) async throws
            -> TokenAuthenticator.Token
        {
            .init("t", expires: nil)
        }
        let authenticator =
            TokenAuthenticator(identity: user.id) { rejected in try await refreshed(rejected) }
        service.configure { $0.authenticator = authenticator }
        service.configure { $0.adaptRequest { request in request.setValue(id, forHTTPHeaderField: "X-ID") } }
        service.log = { event in print(event) }
        let sent = service.POST(
            "/films", options: [.multipart { form in form.append(file: film, named: "film") }])
        let recovered = service.GET("/stores")
            .transform { (_: JSON) -> JSON? in nil }
            .recover { error in [Store]() }
        _ = try await (sent.data, recovered.json)
        #expect(stub.request(0)["X-ID"] == "1" && stub.request(0)[.authorization] == "Bearer t")
        let users = Users(service: service)
        let started = users.read(id: 7).start { result in self.user = try? result.get() }
        await started.finished()
        #expect(self.user == User(id: 7, name: "Ada"))
    }

    @Test("sessions")
    func sessions() {
        let session = URLSession(configuration: .ephemeral)
        let service = WebService(baseURLString: "https://api.example.com", dataSource: session)
        #expect(service.dataSource is URLSession)
        let dataSource = URLSessionDataSource(configuration: .ephemeral)
        #expect(
            WebService(baseURLString: "https://h", dataSource: dataSource).dataSource is URLSessionDataSource)
    }

    @Test("whole calls")
    func calls() async throws {
        stub.stub(.GET, "/stores", .json([["id": 41, "name": "Squirrel Hill"]]))
        do {
            let service = WebService(baseURLString: "https://api.example.com/v1")
            #expect(service.baseURLString == self.service.baseURLString)
        }
        let service = service
        let task =
            service.GET("/stores", parameters: ["zip": "15217"])
            .responseDecoded(as: [Store].self) { stores in self.stores = stores }
            .responseError { error in self.message = error.userMessage }
        _ = await task.result
        let stores = try await service.GET("/stores", parameters: ["zip": "15217"]).decoded(as: [Store].self)
        #expect(self.stores == stores && stores.count == 1 && message.isEmpty)
    }

    @Test("screens")
    func screens() async throws {
        stub.stub(.GET, "/stores", .json([["id": 41, "name": "Squirrel Hill"]]))
        do {
            let resources = ResourceStore(service: WebService(baseURLString: "https://api.example.com/v1"))
            #expect(resources.service.baseURLString == service.baseURLString)
        }
        let screen = StoresScreen(ResourceStore(service: service))
        screen.appear()
        try await screen.loaded()
        #expect(screen.names == ["Squirrel Hill"] && screen.problem == nil)
    }

    @Test("repositories")
    func repositories() async throws {
        stub.stub(.POST, "/users", .status(201))
        let users = Users(service: service)
        let user = User(id: 7, name: "Ada")
        let created = try await users.create(user).value
        #expect(created == user)
    }

    @Test("resources")
    func resources() async throws {
        stub.stub(.GET, "/profile", .json(["name": "Ada"]))
        var service = service
        service.configure("/stores/*") { $0.expirationTime = .seconds(60) }
        service.configure { configuration in
            configuration.pipeline[.model].cacheUsing(MemoryCache())
        }
        service.invalidateConfiguration()
        let resources = ResourceStore(service: service)
        let zip = "15217"
        let watcher = Watcher()
        let profile = resources.resource("/profile", as: Profile.self)
        profile.addObserver(watcher)
        let label = Label()
        profile.addObserver(owner: label) { label, profile, _ in label.show(profile.state) }
        _ = try await profile.load().value
        #expect(label.text == "Ada" && watcher.events > 1 && profile.latestContent?.name == "Ada")
        let stores = resources.resource("/stores", as: [Store].self)
        let near = stores.withParameters(["zip": zip])
        let one = stores.child("41", as: Store.self)
        let users = stores.relative("../users", as: [User].self)
        let name = "Ada"
        stub.stub(.PUT, "/profile", .status(204))
        _ = try await profile.request(.PUT, options: [.json(["name": name])]).data
        let written = stub.requests.first { $0.httpMethod == "PUT" }
        #expect(written?.httpBody == Data(#"{"name":"Ada"}"#.utf8))
        #expect(near.url?.query == "zip=15217" && one.url?.lastPathComponent == "41")
        print(users.url?.absoluteString ?? "")
        resources.wipe()
        #expect(profile.latestContent == nil)
    }
}
