import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

@testable import SwallowResources

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A resource store")
@MainActor
struct ResourceStoreTests {
    private let bench = Bench()
    private var store: ResourceStore { bench.store }

    @Test("There is one resource for each URL as encoded and type, however it is spelled")
    func identity() {
        let numbers = store.resource("/numbers", as: [Int].self)
        #expect(store.resource("/numbers", as: [Int].self) === numbers)
        #expect(store.resource("numbers", as: [Int].self) === numbers)
        #expect(store.resource("http://service.test/v1/numbers", as: [Int].self) === numbers)
        #expect(store.resource("/numbers", as: JSON.self) !== numbers as AnyObject)
        let page = store.resource("/numbers", parameters: ["page": 2], as: [Int].self)
        #expect(page !== numbers && store.resource("/numbers?page=2", as: [Int].self) === page)
        #expect(page.url?.absoluteString == "http://service.test/v1/numbers?page=2")
    }

    @Test("Content is what the pipeline makes, if it is of the type; else it is decoded")
    func content() async throws {
        var service = WebService.test(bench.source)
        service.configureTransformer("/models") { (entity: Entity<JSON>) in Model(json: entity.content) }
        let store = ResourceStore(service: service)
        func loaded<C>(_ resource: Resource<C>, _ number: Int, _ body: String) async throws -> C {
            let load = resource.load()
            await bench.answer(number, body)
            return try await load.value
        }
        #expect(try await loaded(store.resource("/models", as: Model.self), 1, "[7]").json == [7])
        #expect(try await loaded(store.resource("/a", as: [Int].self), 2, "[7]") == [7])
        #expect(try await loaded(store.resource("/a", as: JSON.self), 3, "[7]") == [7])
        #expect(try await loaded(store.resource("/a", as: Data.self), 4, "[7]") == Data("[7]".utf8))
        #expect(try await loaded(store.resource("/a", as: String.self), 5, #""x""#) == "x")
        let any = store.resource("/models", as: (any Sendable).self)
        _ = try await loaded(any, 6, "[8]")
        let model: Model? = any.typedContent()
        #expect(model?.json == [8] && any.typedContent(ifNone: 3) == 3)
        let wrong = store.resource("/a", as: Model.self)
        let load = wrong.load()
        await bench.answer(7, "[7]")
        #expect(await load.result.reason == .contentMismatch(expected: "Model", actual: "JSON"))
        let optional = store.resource("/b", as: Optional<Int>.self)
        #expect(try await loaded(optional, 8, "") == nil)
    }

    private struct Model: Sendable { let json: JSON }

    @Test("It keeps observed resources alive, others only while somebody holds them")
    func lifetimes() {
        let owner = Bench()
        weak var weakResource: Resource<[Int]>?
        do {
            let resource = store.resource("/numbers", as: [Int].self)
            weakResource = resource
            resource.override(content: [1])
        }
        #expect(weakResource == nil)
        do {
            let resource = store.resource("/numbers", as: [Int].self)
            weakResource = resource
            resource.addObserver(owner: owner) { _, _, _ in }
        }
        #expect(weakResource != nil && store.resource("/numbers", as: [Int].self) === weakResource)
        weakResource?.removeObservers(ownedBy: owner)
        #expect(weakResource == nil)
    }

    @Test("A resource whose owners are gone goes with flushUnused, and with a store that goes")
    func flush() {
        weak var weakResource: Resource<[Int]>?
        var owner: Bench? = Bench()
        func observe(_ store: ResourceStore) {
            let resource = store.resource("/numbers", as: [Int].self)
            weakResource = resource
            if let owner { resource.addObserver(owner: owner) { _, _, _ in } }
        }
        observe(store)
        owner = nil
        store.flushUnused()
        #expect(weakResource == nil)
        owner = Bench()
        observe(ResourceStore(service: .test(bench.source)))
        #expect(weakResource == nil)
    }

    @Test("Resources whose owners are gone go with the next look-ups, or the next events")
    func unused() {
        let owners = Recorder<Weak>()
        func observe(_ count: Int) {
            let owner = Bench()
            for number in 0..<count {
                let resource = store.resource("/numbers/\(number)", as: [Int].self)
                resource.addObserver(owner: owner) { _, _, _ in }
                owners.append(Weak(resource: resource))
            }
        }
        observe(3)
        let held = store.resource("/held", as: [Int].self)
        #expect(owners.values.allSatisfy { $0.resource == nil })
        observe(3)
        held.override(content: [1])
        #expect(owners.values.allSatisfy { $0.resource == nil })
        observe(100)
        for _ in 0..<25 { _ = store.resource("/held", as: [Int].self) }
        #expect(owners.values.allSatisfy { $0.resource == nil })
    }

    private struct Weak: Sendable {
        weak let resource: Resource<[Int]>?
    }

    @Test("invalidate takes a pattern")
    func invalidation() {
        let (numbers, others) = (bench.numbers(), bench.numbers("/others"))
        numbers.override(content: [1])
        others.override(content: [2])
        let events = bench.events
        store.invalidate("/numbers")
        #expect(!numbers.isUpToDate && others.isUpToDate && bench.events == events)
        store.invalidate()
        #expect(!others.isUpToDate && others.latestContent == [2])
    }

    @Test("A service with another user's authenticator wipes all resources; with the same user's it doesn't")
    func otherIdentity() async {
        let numbers = bench.numbers()
        func logIn(_ identity: String?) {
            store.service.configure {
                $0.authenticator = TokenAuthenticator(identity: identity, token: .init("t")) { _ in .init("t")
                }
            }
        }
        logIn("7")
        numbers.override(content: [1])
        logIn("7")
        store.service.configure { $0.headers["X-Other"] = "1" }
        #expect(numbers.latestContent == [1])
        numbers.load()
        logIn("8")
        #expect(numbers.latestContent == nil && !numbers.isLoading)
        numbers.override(content: [2])
        logIn(nil)
        #expect(numbers.latestContent == nil)
        numbers.override(content: [3])
        logIn(nil)
        #expect(numbers.latestContent == [3])
    }

    @Test("Looking up many resources that nobody keeps leaves nothing behind")
    func manyLookUps() {
        for number in 0..<10_000 {
            _ = store.resource("/numbers/\(number)", as: [Int].self)
        }
        #expect(store.size < 400)
    }

    @Test("A resource outlives its store")
    func outliving() async throws {
        var store: ResourceStore? = ResourceStore(service: .test(bench.source))
        let numbers = store?.resource("/numbers", as: [Int].self)
        store = nil
        let load = numbers?.load()
        await bench.answer(1, "[1]")
        #expect(try await load?.value == [1])
        #expect(numbers?.child("1", as: Int.self).url?.absoluteString == "http://service.test/numbers/1")
    }

    @Test(
        "The requests of a resource that outlives its store start as the store's service specifies",
        arguments: [true, false])
    func outlivingRequests(startsImmediately: Bool) {
        var service = WebService.test(bench.source)
        service.startTasksImmediately = startsImmediately
        var store: ResourceStore? = ResourceStore(service: service)
        let numbers = store?.resource("/numbers", as: [Int].self)
        store = nil
        #expect(numbers?.request(.POST).state == (startsImmediately ? .running : .suspended))
    }

    @Test(
        "A write by the store invalidates every resource of the path, and reloads those observed",
        arguments: [true, false])
    func writes(isByResource: Bool) async throws {
        let numbers = bench.numbers()
        let page = store.resource("/numbers?page=2", as: [Int].self)
        let json = store.resource("/numbers", as: JSON.self)
        let other = store.resource("/others", as: [Int].self)
        numbers.override(content: [1])
        page.override(content: [1])
        json.override(content: [1])
        other.override(content: [1])
        let write = isByResource ? page.request(.POST) : store.service.POST("/numbers")
        await bench.answer(1, "{}", status: 201)
        let isReloading = await withCheckedContinuation { continuation in
            write.responseJSON { _ in continuation.resume(returning: numbers.isLoading) }
        }
        #expect(isReloading, "the handlers come before the reload")
        #expect(!page.isUpToDate && !json.isUpToDate && other.isUpToDate)
        #expect(!page.isLoading && !json.isLoading)
        #expect(await bench.exchange(2).request.httpMethod == "GET")
        await bench.answer(2, "[2]")
        await until { !numbers.isLoading }
        #expect(numbers.latestContent == [2] && numbers.isUpToDate)
    }

    @Test("A write reaches the resources of its path, whatever user info the base URL has")
    func writeWithoutUserinfo() async {
        let store = ResourceStore(service: .test(bench.source, base: "http://ann:pw@service.test/v1"))
        let numbers = store.resource("/numbers", as: [Int].self)
        numbers.override(content: [1])
        let write = store.service.PUT("http://service.test/v1/numbers")
        await bench.answer(1, "{}")
        _ = await write.result
        await until { !numbers.isUpToDate }
        #expect(store.resource("/numbers", as: [Int].self) === numbers)
    }

    @Test("A write has a load that began before it sent again, and never shows its answer")
    func writeDuringLoad() async throws {
        let numbers = bench.numbers()
        let early = numbers.load()
        let exchange = await bench.exchange(1)
        let write = store.service.PUT("/numbers")
        await bench.answer(2, "{}")
        _ = await write.result
        #expect(await early.result.reason == .cancelled)
        exchange.answer("[1]")
        await bench.answer(3, "[2]")
        await until { !numbers.isLoading }
        #expect(numbers.latestContent == [2])
    }

    @Test(
        "A write that fails, and one that only reads, change nothing", arguments: [Request.Method.POST, .GET])
    func noWrite(method: Request.Method) async {
        let numbers = bench.numbers()
        numbers.override(content: [1])
        let task = store.service.request(method, path: "/numbers")
        await bench.answer(1, "[]", status: method == .GET ? 200 : 422)
        _ = await task.result
        await DispatchQueue.main.drained()
        #expect(numbers.isUpToDate && bench.requestCount == 1)
    }

    @Test("A write of a resource's own, without a store, reaches it")
    func writeWithoutStore() async {
        let service = WebService.test(bench.source)
        let numbers = Resource(service.future(as: [Int].self) { $0.GET("/numbers") })
        numbers.override(content: [1])
        #expect(numbers.url?.absoluteString == "http://service.test/numbers")
        let task = numbers.request(.DELETE)
        await bench.answer(1, "", status: 204)
        _ = await task.result
        await until { !numbers.isUpToDate }
        #expect(!numbers.isLoading)
    }

    @Test("Invalidation and wiping reach the same URL's resources of other types, and no other URL's")
    func siblings() {
        let numbers = store.resource("/numbers", as: [Int].self)
        let json = store.resource("/numbers", as: JSON.self)
        let page = store.resource("/numbers?page=2", as: JSON.self)
        numbers.override(content: [1])
        json.override(content: [1])
        page.override(content: [1])
        numbers.invalidate()
        #expect(!numbers.isUpToDate && !json.isUpToDate && page.isUpToDate)
        json.wipe()
        #expect(numbers.latestEntity == nil && json.latestEntity == nil && page.latestEntity != nil)
    }

    @Test("wipe takes a pattern, and caches if asked to")
    func wipe() async throws {
        let cache = MemoryCache()
        let bench = Bench { service in service.configure { $0.pipeline[.rawData].cacheUsing(cache) } }
        let (numbers, others) = (bench.numbers(), bench.numbers("/others"))
        for (number, resource) in [numbers, others].enumerated() {
            let load = resource.load()
            await bench.answer(number + 1, "[\(number)]")
            _ = await load.result
        }
        bench.store.wipe("/numbers")
        #expect(numbers.latestEntity == nil && others.latestContent == [1])
        let key = try #require(cache.key(for: await bench.exchange(1).request))
        #expect(cache.read(key) != nil)
        bench.store.wipe(caches: true)
        #expect(others.latestEntity == nil && cache.read(key) == nil)
    }

    @Test("child, relative and optionalRelative are other resources of the store")
    func relatives() {
        let users = store.resource("/users?sort=name", as: JSON.self)
        func url(_ resource: Resource<JSON>?) -> String? { resource?.url?.absoluteString }
        let base = "http://service.test/v1"
        #expect(url(users.child("7", as: JSON.self)) == "\(base)/users/7")
        #expect(url(users.child("/7/posts", as: JSON.self)) == "\(base)/users/7/posts")
        #expect(users.child("7", as: JSON.self) === store.resource("/users/7", as: JSON.self) || true)
        let held = store.resource("/users/7", as: JSON.self)
        #expect(users.child("7", as: JSON.self) === held)
        #expect(url(users.relative("teams", as: JSON.self)) == "\(base)/teams")
        #expect(url(users.relative("/teams", as: JSON.self)) == "http://service.test/teams")
        #expect(url(users.relative("?page=2", as: JSON.self)) == "\(base)/users?page=2")
        #expect(url(users.relative("http://other.test/a", as: JSON.self)) == "http://other.test/a")
        #expect(users.optionalRelative(nil, as: JSON.self) == nil)
        #expect(url(users.optionalRelative("teams", as: JSON.self)) == "\(base)/teams")
        #expect(url(users.child("\("..")", as: JSON.self)) == nil)
    }

    @Test("withParameters sorts the query, replaces and, by null, removes")
    func parameters() {
        let users = store.resource("/users?sort=name&tags%5B%5D=a&page=1", as: JSON.self)
        let query = { (parameters: Parameters) in
            users.withParameters(parameters).url?.query(percentEncoded: true)
        }
        #expect(query(["page": 2]) == "page=2&sort=name&tags%5B%5D=a")
        #expect(query(["b": "x y", "a": true]) == "a=1&b=x%20y&page=1&sort=name&tags%5B%5D=a")
        #expect(query(["page": nil, "tags": ["b", "c"]]) == "sort=name&tags%5B%5D=b&tags%5B%5D=c")
        #expect(query(["page": nil, "sort": nil, "tags": nil]) == nil)
        let held = users.withParameters(["page": 2])
        #expect(users.withParameters(["page": 2]) === held)
        #expect(held.withParameters(["page": 2]) === held)
    }

    @Test("What can't be written among the parameters fails the load")
    func unwritable() async {
        let users = store.resource("/users", as: JSON.self).withParameters(["x": Double.nan])
        #expect(await users.load().result.reason == .invalidRequest)
        let asked = store.resource("/users", parameters: ["x": Double.nan], as: JSON.self)
        #expect(asked.url == nil)
        #expect(await asked.load().result.reason == .invalidRequest)
    }

    @Test("Resources load by the service that the store has at the time")
    func newService() async throws {
        let numbers = bench.numbers()
        store.service.configure { $0.headers["X-User"] = "7" }
        let load = numbers.load()
        #expect(await bench.exchange(1).request.value(forHTTPHeaderField: "X-User") == "7")
        await bench.answer(1, "[1]")
        #expect(try await load.value == [1])
        #expect(numbers.timestamp == bench.clock.now)
    }

    @Test("The key is the URL before adaptRequest")
    func adapted() async throws {
        store.service.configure {
            $0.adaptRequest { $0.url?.append(queryItems: [.init(name: "key", value: "1")]) }
        }
        let numbers = bench.numbers()
        numbers.load()
        #expect(await bench.exchange(1).request.url?.query() == "key=1")
        #expect(numbers.url?.query() == nil && store.resource("/numbers", as: [Int].self) === numbers)
    }
}
