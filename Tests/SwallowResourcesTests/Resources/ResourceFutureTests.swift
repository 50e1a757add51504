import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

@testable import SwallowResources

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A resource of a future")
@MainActor
struct ResourceFutureTests {
    private struct User: Codable, Identifiable, Equatable, Sendable { let id: Int }
    private struct Users: Readable, Creatable {
        typealias Model = User
        let service: WebService
        let name: Request.Path = "users"
    }

    private let cache = MemoryCache()
    private let bench: Bench
    private var service: WebService { bench.store.plainService }

    init() {
        bench = Bench { [cache] in $0.configure { $0.pipeline[.rawData].cacheUsing(cache) } }
    }

    @Test("A repository's future, mapped or not, has caches, validators, a URL and the service's clock")
    func repository() async throws {
        let ids = Users(service: service).read(id: 7).map(\.id).map { $0 * 10 }
        let resource = Resource(ids)
        #expect(resource.url?.absoluteString == "http://service.test/v1/users/7")
        let load = resource.load()
        await bench.answer(1, #"{"id": 7}"#, headers: ["ETag": "v1"])
        #expect(try await load.value == 70)
        #expect(resource.latestEntity?.headers[.eTag] == "v1" && resource.timestamp == bench.clock.now)

        let later = Resource(ids)
        let second = later.load()
        await until { later.latestEntity != nil }
        #expect(later.latestContent == 70 && later.latestEntity?.origin == .cache)
        await bench.answer(2, "", status: 304)
        #expect(try await second.value == 70)
        #expect(later.latestEntity?.origin == .revalidated)
    }

    @Test("A page is loaded, too")
    func page() async throws {
        let page = Resource(Users(service: service).read(page: 1, size: 2).map { $0.items })
        let load = page.load()
        await bench.answer(1, #"[{"id": 1}]"#, headers: ["X-Total": "1", "X-Per-Page": "2", "X-Page": "1"])
        #expect(try await load.value == [User(id: 1)])
    }

    @Test("One of several steps loads, but has no cache phase, no URL and no validators")
    func steps() async throws {
        var service = service
        service.configure { $0.cachePolicy = .networkFirst }
        let users = Users(service: service)
        let first = users.read(id: 1).andThen { user in users.read(id: user.id + 1) }
        let resource = Resource(first)
        #expect(resource.url == nil)
        for round in 0..<2 {
            let load = resource.load()
            await bench.answer(2 * round + 1, #"{"id": 1}"#, headers: ["ETag": "a"])
            await bench.answer(2 * round + 2, #"{"id": 2}"#, headers: ["ETag": "b"])
            #expect(try await load.value == User(id: 2))
        }
        #expect(resource.timestamp == bench.clock.now && resource.latestEntity?.origin == .network)
        #expect(await bench.exchange(4).request.value(forHTTPHeaderField: "If-None-Match") == nil)
        #expect(await resource.child("x", as: JSON.self).load().result.reason == .invalidURL)
        #expect(await resource.request(.PUT).failure?.reason == .invalidURL)
    }

    @Test("One of an operation, too; cancelling cancels it")
    func operation() async throws {
        let resource = Resource(ServiceFuture<Int> { () async throws -> Int in 3 })
        #expect(try await resource.load().value == 3)
        let started = Event()
        let endless = Resource(
            ServiceFuture { () async throws -> Int in
                started.happen()
                try await Task.sleep(for: .seconds(3600))
                return 1
            })
        let load = endless.load()
        await started.wait()
        load.cancel()
        #expect(await load.result.reason == .cancelled)
        #expect(!endless.isLoading)
    }

    @Test("A closure that asks another service than it is given isn't asked for its caches")
    func otherService() async throws {
        let service = service
        let resource = Resource(
            service.future(as: [Int].self) { _ in
                var cold = service
                cold.startTasksImmediately = false
                return cold.GET("/numbers")
            })
        let load = resource.load()
        await bench.answer(1, "[1]")
        #expect(try await load.value == [1])
        #expect(bench.requestCount == 1)
    }

    @Test("What a step of a future throws keeps the response")
    func thrown() async {
        let future = Users(service: service).read(id: 7).map { (_: User) throws -> Int in throw AppError() }
        let load = Resource(future).load()
        await bench.answer(1, #"{"id": 7}"#)
        guard case .failure(let error) = await load.result else {
            Issue.record("it succeeds")
            return
        }
        #expect(error.reason == .thrown && error.statusCode == 200 && error.json["id"] == 7)
    }
}

extension ServiceTask {
    fileprivate var failure: ServiceError? {
        get async {
            if case .failure(let error) = await result { error } else { nil }
        }
    }
}
