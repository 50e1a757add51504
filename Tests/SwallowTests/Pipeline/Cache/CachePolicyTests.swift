import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Cache policies")
struct CachePolicyTests {
    private let server = CachingServer { $0.answer(#"{"n": 1}"#) }
    private let models = Recorder<Int>()

    private enum Kind: CaseIterable, Sendable { case memory, bytes }

    private func service(_ cache: some EntityCache, atStage stage: PipelineStageKey = .model) -> WebService {
        var service = WebService.test(server)
        service.configureTransformer { [models] (entity: Entity<JSON>) in
            models.append(1)
            return entity.content["n"].int
        }
        service.configure { $0.pipeline[stage].cacheUsing(cache) }
        return service
    }

    @Test("Offline the cache answers every handler as the network did, and says so")
    func fallback() async throws {
        for service in [
            service(MemoryCache()), service(ByteCache()), service(ByteCache(), atStage: .rawData),
        ] {
            server.now {
                $0.answer(#"{"n": 1}"#, headers: ["Content-Type": "application/json", "X-Extra": "x"])
            }
            #expect(try await !service.GET("/a").result.get().isFromCache)
            server.goOffline()
            let task = service.GET("/a")
            let entity = try await task.result.get()
            #expect(entity.isFromCache && entity.content as? Int == 1 && entity.headers["X-Extra"] == "x")
            #expect(try await task.json == ["n": 1])
            #expect(try await task.data == Data(#"{"n": 1}"#.utf8))
            #expect(try await task.content(as: Int.self) == 1)
            await #expect(throws: ServiceError.self) { try await service.GET("/b").json }
        }
    }

    @Test("A request isn't held up by the busy queue of its first handler", .timeLimit(.minutes(10)))
    func busyQueue() async throws {
        let queue = DispatchQueue(label: "busy")
        queue.suspend()
        let clock = ManualClock()
        var service = service(ByteCache(), atStage: .rawData)
        service.clock = clock
        server.now {
            let caching = "max-age=60, stale-while-revalidate=30"
            $0.answer(#"{"n": 1}"#, headers: ["Content-Type": "application/json", "Cache-Control": caching])
        }
        let first = service.GET("/a").responseJSON(queue) { _ in }
        #expect(await server.requests.first(1).count == 1)
        queue.resume()
        _ = await first.result

        queue.suspend()
        clock.advance(by: .seconds(70))
        let second = service.GET("/a").responseJSON(queue) { _ in }
        #expect(await server.requests.first(2).count == 2)
        queue.resume()
        #expect(try await second.result.get().isFromCache)
    }

    @Test("What a disk cache has is written to an immediate cache of the app's on no other cache's queue")
    func immediate() async throws {
        let folder = TemporaryFolder()
        let disk = DiskCache(folder: folder.url)
        let key = DispatchSpecificKey<Bool>()
        disk.workQueue.setSpecific(key: key, value: true)
        server.now {
            $0.answer("[1]", headers: ["Content-Type": "application/json", "Cache-Control": "max-age=86400"])
        }
        for count in 1...2 {
            let cache = ImmediateCache { DispatchQueue.getSpecific(key: key) == true }
            var service = WebService.test(server)
            service.configure {
                $0.cachePolicy = .standard
                $0.pipeline[.rawData].cacheUsing(disk)
                $0.pipeline[.parsing].cacheUsing(cache)
            }
            #expect(try await service.GET("/a").result.get().isFromCache == (count == 2))
            #expect(await cache.writes.first(1) == [false])
        }
    }

    @Test("A hit in memory ends the task before its verb returns, also beside a cache on a queue")
    func atOnce() async throws {
        var service = service(MemoryCache())
        service.configure {
            $0.pipeline[.rawData].cacheUsing(ByteCache())
            $0.cachePolicy = .standard
        }
        let fields = ["Content-Type": "application/json", "Cache-Control": "max-age=86400"]
        server.now { $0.answer(#"{"n": 1}"#, headers: fields) }
        #expect(try await service.GET("/a").content(as: Int.self) == 1)
        let task = service.GET("/a")
        #expect(task.state == .completed)
        #expect(try await task.content(as: Int.self) == 1)
    }

    @Test("A memory cache holds the content: the stages before it don't run again, those after it do")
    func laterStages() async throws {
        var service = service(MemoryCache(), atStage: .model)
        let cleanups = Recorder<Int>()
        service.configureTransformer(atStage: .cleanup) { (entity: Entity<Int>) in
            cleanups.append(entity.content)
            return entity.content * 10
        }
        for _ in 0..<2 {
            #expect(try await service.GET("/a").content(as: Int.self) == 10)
            server.goOffline()
        }
        #expect(models.values.count == 1 && cleanups.values == [1, 1])
    }

    @Test("Of several caches the last stage's is read first, and an earlier one fills those after it")
    func severalCaches() async throws {
        let (early, late) = (ByteCache(), ByteCache())
        var service = service(early, atStage: .rawData)
        service.configure {
            $0.pipeline[.model].cacheUsing(late)
            $0.cachePolicy = .networkFirst
        }
        _ = try await service.GET("/a").content(as: Int.self)
        #expect(await late.calls.first(1) == [.write])
        #expect(await early.calls.first(1) == [.write])
        server.goOffline()
        _ = try await service.GET("/a").content(as: Int.self)
        #expect(late.calls.values == [.write, .read])
        #expect(early.calls.values == [.write])
        let key = try #require(late.key(for: server.requests.values[0]))
        late.remove(key)
        _ = try await service.GET("/a").content(as: Int.self)
        #expect(await late.calls.first(5).suffix(3) == [.remove, .read, .write])
        #expect(early.calls.values == [.write, .read])
    }

    @Test("preferCache sends no request for a response younger than its maximum age")
    func preferCache() async throws {
        let service = service(MemoryCache())
        let options: [Request.Option] = [.cachePolicy(.preferCache(maxAge: .seconds(1000)))]
        _ = try await service.GET("/a", options: options).json
        let hit = try await service.GET("/a", options: options).result.get()
        #expect(hit.isFromCache && server.requests.values.count == 1)
        let old = try await service.GET("/a", options: [.cachePolicy(.preferCache(maxAge: .zero))]).result
            .get()
        #expect(!old.isFromCache && server.requests.values.count == 2)
    }

    @Test("A response from the future is not fresh")
    func clockSetBack() async throws {
        let cache = MemoryCache()
        let service = service(cache)
        _ = try await service.GET("/a").json
        let key = try #require(cache.key(for: server.requests.values[0]))
        cache.updateTimestamp(Date(timeIntervalSinceNow: 1000), for: key)
        let task = service.GET("/a", options: [.cachePolicy(.preferCache(maxAge: .seconds(10_000)))])
        #expect(try await !task.result.get().isFromCache)
    }

    @Test("validate sends the stored validators, and a 304 serves the content without parsing it again")
    func validate() async throws {
        let cache = MemoryCache()
        let service = service(cache)
        let headers = [
            "Content-Type": "application/json", "ETag": #""v1""#,
            "Last-Modified": "Sat, 21 Nov 2026 00:00:00 GMT",
        ]
        server.now { $0.answer(#"{"n": 1}"#, headers: headers) }
        let options: [Request.Option] = [.cachePolicy(.validate)]
        let first = try await service.GET("/a", options: options).result.get()
        server.now { $0.answer("", status: 304, headers: [:]) }
        let second = try await service.GET("/a", options: options).result.get()
        #expect(second.isFromCache && second.content as? Int == 1 && models.values.count == 1)
        #expect(second.timestamp >= first.timestamp)
        let sent = server.requests.values[1]
        #expect(sent.value(forHTTPHeaderField: "If-None-Match") == #""v1""#)
        #expect(sent.value(forHTTPHeaderField: "If-Modified-Since") == "Sat, 21 Nov 2026 00:00:00 GMT")
        let key = try #require(cache.key(for: server.requests.values[0]))
        #expect(cache.read(key)?.timestamp == second.timestamp)
        server.now { $0.answer(#"{"n": 2}"#, headers: headers) }
        let third = try await service.GET("/a", options: options).result.get()
        #expect(!third.isFromCache && third.content as? Int == 2)
    }

    @Test("An entity says where it comes from")
    func origin() async throws {
        let service = service(MemoryCache())
        server.now { $0.answer(#"{"n": 1}"#, headers: ["Content-Type": "application/json", "ETag": "v"]) }
        #expect(try await service.GET("/a").result.get().origin == .network)
        server.now { $0.answer("", status: 304, headers: [:]) }
        let revalidating: [Request.Option] = [.cachePolicy(.validate)]
        #expect(try await service.GET("/a", options: revalidating).result.get().origin == .revalidated)
        server.goOffline()
        #expect(try await service.GET("/a").result.get().origin == .cache)
        #expect(Entity(content: 1).origin == .network)
    }

    @Test("onlyCache sends nothing. It serves a stored response or fails with notCached")
    func onlyCache() async throws {
        let service = service(MemoryCache())
        let only: [Request.Option] = [.cachePolicy(.onlyCache)]
        let miss = service.GET("/a", options: only)
        await #expect { try await miss.json } throws: { error in
            (error as? ServiceError)?.reason == .notCached && (error as? ServiceError)?.request != nil
        }
        _ = try await service.GET("/a").json
        #expect(try await service.GET("/a", options: only).json == ["n": 1])
        let others = [
            service.POST("/a", options: only),
            service.GET("/a", options: only + [.header("Range", "bytes=0-1")]),
            WebService.test(server).GET("/a", options: only),
        ]
        for task in others {
            await #expect { try await task.data } throws: { ($0 as? ServiceError)?.reason == .notCached }
        }
        #expect(server.requests.values.count == 1)
    }

    @Test("A 304 that nothing cached stands behind is an error")
    func strayNotModified() async throws {
        server.now { $0.answer("", status: 304, headers: [:]) }
        let service = service(MemoryCache())
        for options in [[], [Request.Option.cachePolicy(.validate)], [.header("If-None-Match", "x")]] {
            guard case .failure(let error) = await service.GET("/a", options: options).result else {
                Issue.record("no failure")
                continue
            }
            #expect(error.reason == .unacceptableStatus && error.statusCode == 304)
        }
    }

    @Test("ignore neither reads nor writes")
    func ignore() async throws {
        let cache = ByteCache()
        var service = service(cache)
        service.configure { $0.cachePolicy = .ignore }
        _ = try await service.GET("/a").json
        server.goOffline()
        await #expect(throws: ServiceError.self) { try await service.GET("/a").json }
        await cache.workQueue.drained()
        #expect(cache.calls.values.isEmpty)
    }

    @Test("Only successes of whole GET requests are kept")
    func storedResponses() async throws {
        let cache = ByteCache()
        let service = service(cache)
        _ = await service.POST("/a").result
        _ = await service.GET("/a", options: [.header("Range", "bytes=0-1")]).result
        server.now { $0.answer(#"{"n": 1}"#, status: 206) }
        _ = await service.GET("/a").result
        server.now { $0.answer(#"{"n": 1}"#, status: 500) }
        _ = await service.GET("/a").result
        server.now { $0.answer("no JSON") }
        _ = await service.GET("/a").result
        await cache.workQueue.drained()
        #expect(!cache.calls.values.contains(.write))
    }

    @Test("A failed status is the server's word: the cache doesn't speak against it")
    func failedStatus() async throws {
        let service = service(MemoryCache())
        _ = try await service.GET("/a").json
        server.now { $0.answer("{}", status: 500) }
        guard case .failure(let error) = await service.GET("/a").result else {
            Issue.record("no failure")
            return
        }
        #expect(error.isServerError)
    }

    @Test("Users and languages have their own entries")
    func keys() async throws {
        let service = service(MemoryCache())
        _ = try await service.GET("/a", options: [.header(.authorization, "ann")]).json
        server.goOffline()
        await #expect(throws: ServiceError.self) {
            try await service.GET("/a", options: [.header(.authorization, "bob")]).json
        }
        await #expect(throws: ServiceError.self) { try await service.GET("/a").json }
        #expect(try await service.GET("/a", options: [.header(.authorization, "ann")]).json == ["n": 1])
    }

    @Test("Another pipeline's content doesn't count: the stages run over the bytes")
    func foreignContent() async throws {
        let cache = MemoryCache()
        _ = try await service(cache).GET("/a").json
        var other = WebService.test(server)
        other.configure { $0.pipeline[.parsing].cacheUsing(cache) }
        server.goOffline()
        let entity = try await other.GET("/a").result.get()
        #expect(entity.isFromCache && entity.content as? JSON == ["n": 1])
    }

    @Test("When time runs out, the cache answers; cancelling while it is read ends in cancelled")
    func timeoutAndCancel() async throws {
        let cache = ByteCache()
        let service = service(cache)
        _ = try await service.GET("/a").json
        server.now { _ in }
        // After the timeout, the cache must respond within the same time again. This may be too short on a slow
        // machine, so longer timeouts follow.
        var entity: Entity<any Sendable>?
        for limit in [Duration.milliseconds(1), .seconds(1), .seconds(60)] where entity == nil {
            entity = try? await service.GET("/a", options: [.timeout(limit)]).result.get()
        }
        #expect(entity?.isFromCache == true)

        cache.workQueue.suspend()
        server.goOffline()
        let task = service.GET("/a")
        task.cancel()
        cache.workQueue.resume()
        guard case .failure(let error) = await task.result else {
            Issue.record("no failure")
            return
        }
        #expect(error.isCancelled)
    }

    @Test("Where the data source's time is over first, the cache has the request's whole time, too")
    func earlyTimeout() async throws {
        let (cache, clock) = (ByteCache(), ManualClock())
        var service = service(cache)
        service.clock = clock
        _ = try await service.GET("/a").json
        server.now { _ in }
        let task = service.GET(
            "/a", options: [.timeout(.seconds(90)), .cachePolicy(.networkFirst)])
        #expect(server.requests.values.count == 2)
        clock.advance(by: .seconds(60))
        server.now { $0.complete(error: URLError(.timedOut)) }
        cache.workQueue.suspend()
        server.answerAgain()
        clock.advance(by: .seconds(89))
        cache.workQueue.resume()
        #expect(try await task.result.get().isFromCache)
        #expect(clock.pending == 0)
    }

    @Test("A decrypting stage isn't bypassed by a hit of a later stage's cache")
    func decrypted() async throws {
        server.now { $0.answer("]1[", headers: [:]) }
        var service = WebService.test(server)
        service.configureTransformer(atStage: .rawData) { (entity: Entity<Data>) in
            Data(entity.content.reversed())
        }
        service.configureTransformer { (entity: Entity<Data>) in entity.content.count }
        service.configure { $0.pipeline[.model].cacheUsing(MemoryCache()) }
        _ = try await service.GET("/a").content(as: Int.self)
        server.goOffline()
        let task = service.GET("/a")
        #expect(try await task.content(as: Int.self) == 3)
        #expect(try await task.json == [1])
        #expect(try await task.data == Data("]1[".utf8))
    }

    @Test("Many tasks at once over one cache end well, whichever way the network goes")
    func concurrentUse() async {
        let cache = MemoryCache(countLimit: 3)
        let service = service(cache)
        await withTaskGroup { group in
            for index in 0..<400 {
                group.addTask {
                    if index == 200 { server.goOffline() }
                    let options: [Request.Option] = [
                        .cachePolicy(index % 2 == 0 ? .preferCache(maxAge: .seconds(60)) : .validate)
                    ]
                    switch await service.GET("/\(index % 5)", options: options).result {
                    case .success(let entity): #expect(entity.content as? Int == 1)
                    case .failure(let error):
                        #expect(error.reason == .transport(URLError(.notConnectedToInternet)))
                    }
                }
            }
        }
    }
}
