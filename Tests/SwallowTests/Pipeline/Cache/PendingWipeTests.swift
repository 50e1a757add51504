import Foundation
import SwallowResources
import SwallowTesting
import TestSupport
import Testing

import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Wipes, and what is on its way")
struct PendingWipeTests {
    enum Place: CaseIterable, Sendable { case memory, disk, bytes }

    private let folder = TemporaryFolder()
    private let source = ManualDataSource()

    private func cache(_ place: Place) -> any EntityCache {
        switch place {
        case .memory: MemoryCache()
        case .disk: DiskCache(folder: folder.url)
        case .bytes: ByteCache()
        }
    }

    private func service(_ cache: any EntityCache) -> WebService {
        var service = WebService.test(source)
        service.configure { $0.pipeline[.rawData].cacheUsing(cache) }
        return service
    }

    private func isStored(_ path: Request.Path, _ service: WebService) async -> Bool {
        guard case .success = await service.GET(path, options: [.cachePolicy(.onlyCache)]).result else {
            return false
        }
        return true
    }

    @Test("An answer that was on its way is its task's, and isn't kept", arguments: Place.allCases)
    func underWay(place: Place) async throws {
        let service = service(cache(place))
        let task = service.GET("/a")
        let exchange = await source.exchange
        service.wipeCaches()
        exchange.answer("[1]")
        #expect(try await task.json == [1])
        #expect(await !isStored("/a", service))
        let later = service.GET("/a")
        await source.exchanges.first(2)[1].answer("[2]")
        #expect(try await later.json == [2])
        #expect(await isStored("/a", service))
    }

    @Test("A response that was arriving while its URL was written to isn't stored", arguments: Place.allCases)
    func written(place: Place) async throws {
        let service = service(cache(place))
        let (task, other) = (service.GET("/a"), service.GET("/b"))
        let exchanges = await source.exchanges.first(2)
        let write = service.PUT("/a")
        await source.exchanges.first(3)[2].answer("", status: 204)
        _ = await write.result
        for exchange in exchanges { exchange.answer("[1]") }
        #expect(try await task.json == [1])
        #expect(try await other.json == [1])
        #expect(await !isStored("/a", service))
        #expect(await isStored("/b", service))
    }

    @Test("A service made anew wipes what another's task is about to keep", arguments: [Place.memory, .disk])
    func otherService(place: Place) async throws {
        let shared = cache(place)
        let service = service(shared)
        let task = service.GET("/a")
        let exchange = await source.exchange
        // Several disk caches may use the same folder.
        let other = self.service(place == .disk ? cache(place) : shared)
        other.wipeCaches()
        exchange.answer("[1]")
        _ = try await task.json
        #expect(await !isStored("/a", service))
    }

    @Test("A wipe removes only what its pattern matches, and doesn't affect other caches")
    func others() async throws {
        let service = service(MemoryCache())
        let foreign = self.service(MemoryCache())
        let stored = service.GET("/news/1")
        await source.exchange.answer("[1]")
        _ = try await stored.json
        let tasks = [service.GET("/account/1"), foreign.GET("/account/1")]
        let exchanges = await source.exchanges.first(3).suffix(2)
        service.wipeCaches("/account/**")
        for exchange in exchanges { exchange.answer("[1]") }
        for task in tasks { _ = try await task.json }
        #expect(await !isStored("/account/1", service))
        #expect(await isStored("/news/1", service))
        #expect(await isStored("/account/1", foreign))
    }

    @Test("A cache that the app empties itself doesn't keep it either", arguments: [Place.memory, .disk])
    func emptied(place: Place) async throws {
        let cache = cache(place)
        let service = service(cache)
        let task = service.GET("/a")
        let exchange = await source.exchange
        (cache as? MemoryCache)?.removeAll()
        (cache as? DiskCache)?.removeAll()
        exchange.answer("[1]")
        _ = try await task.json
        #expect(await !isStored("/a", service))
    }

    @Test(
        "What is in a transformer at the wipe isn't kept, nor what is confirmed after it",
        arguments: Place.allCases)
    func inTransformer(place: Place) async throws {
        var service = service(cache(place))
        let wiping = Lock(false)
        let wipe = Lock<(@Sendable () -> Void)?>(nil)
        service.configureTransformer { (entity: Entity<JSON>) in
            if wiping.withLock({ $0 }) { wipe.withLock { $0 }?() }
            return entity.content
        }
        wipe.withLock { [service] in $0 = { service.wipeCaches() } }
        wiping.withLock { $0 = true }
        let task = service.GET("/a")
        await source.exchange.answer("[1]", headers: ["Content-Type": "application/json", "ETag": "1"])
        _ = try await task.json
        wiping.withLock { $0 = false }
        wipe.withLock { $0 = nil }
        #expect(await !isStored("/a", service))
        let second = service.GET("/a")
        await source.exchanges.first(2)[1].answer(
            "[1]", headers: ["Content-Type": "application/json", "ETag": "1"])
        _ = try await second.json
        let confirming = service.GET("/a", options: [.cachePolicy(.validate)])
        let exchange = await source.exchanges.first(3)[2]
        service.wipeCaches()
        exchange.answer("", status: 304, headers: ["ETag": "1", "X-New": "1"])
        _ = try await confirming.json
        // `ByteCache` doesn't support wipes, so it still has the response.
        #expect(await isStored("/a", service) == (place == .bytes))
    }

    @Test(
        "A cancelled task keeps nothing, not even what its transformers have yet to make",
        arguments: Place.allCases)
    func cancelled(place: Place) async throws {
        let cache = cache(place)
        var service = service(cache)
        let running = Lock<ServiceTask?>(nil)
        service.configureTransformer(atStage: .rawData) { (entity: Entity<Data>) in
            running.withLock { $0 }?.cancel()
            return entity.content
        }
        let queue = DispatchQueue.patient
        let ended = Event()
        let task = service.GET("/a").responseCompleted(queue) { _ in ended.happen() }
        running.withLock { $0 = task }
        await source.exchange.answer("[1]")
        await ended.wait()
        await queue.drained()
        running.withLock { $0 = nil }
        #expect(task.state == .completed)
        #expect(await !isStored("/a", service))
    }

    @Test("What a task's handler has had is kept, also where the handler cancels the task")
    func cancelledLater() async throws {
        let cache = DiskCache(folder: folder.url)
        let service = service(cache)
        cache.workQueue.suspend()
        let running = Lock<ServiceTask?>(nil)
        let isCancelled = Event()
        let task = service.GET("/a", options: [.cachePolicy(.networkFirst)]).response(.utility) { _, _ in
            running.withLock { $0 }?.cancel()
            isCancelled.happen()
        }
        running.withLock { $0 = task }
        await source.exchange.answer("[1]")
        await isCancelled.wait()
        cache.workQueue.resume()
        running.withLock { $0 = nil }
        #expect(await isStored("/a", service))
    }

    @Test("A wipe of a store's counts, too")
    @MainActor
    func store() async throws {
        let service = service(MemoryCache())
        let store = ResourceStore(service: service)
        let task = service.GET("/a")
        let exchange = await source.exchange
        store.wipe(caches: true)
        exchange.answer("[1]")
        _ = try await task.json
        #expect(await !isStored("/a", service))
    }

    @Test("Many wipes of one cache don't affect the responses that are arriving for another")
    func many() async throws {
        let service = service(MemoryCache())
        let task = service.GET("/a")
        let exchange = await source.exchange
        let other = self.service(MemoryCache())
        let foreign = other.GET("/a")
        let second = await source.exchanges.first(2)[1]
        for _ in 0..<100 { service.wipeCaches("/other") }
        exchange.answer("[1]")
        second.answer("[1]")
        _ = try await task.json
        _ = try await foreign.json
        #expect(await !isStored("/a", service))
        #expect(await isStored("/a", other))
    }

    @Test("Wipes among many tasks leave nothing of what came before the last of them")
    func storm() async throws {
        let cache = MemoryCache()
        let server = CachingServer { $0.answer("[1]") }
        var service = WebService.test(server)
        service.configure { $0.pipeline[.rawData].cacheUsing(cache) }
        for _ in 0..<Sanitizer.rounds(50, sanitized: 10) {
            let number = Lock(1)
            server.now { exchange in exchange.answer("[\(number.withLock { $0 })]") }
            await withTaskGroup { [service] group in
                for index in 0..<16 {
                    group.addTask {
                        if index == 8 {
                            number.withLock { $0 = 2 }
                            service.wipeCaches()
                        }
                        _ = await service.GET("/a").result
                    }
                }
            }
            // Every request before the wipe received 1.
            let stored = await service.GET("/a", options: [.cachePolicy(.onlyCache)]).result
            if case .success(let entity) = stored { #expect(entity.json == [2]) }
        }
    }
}
