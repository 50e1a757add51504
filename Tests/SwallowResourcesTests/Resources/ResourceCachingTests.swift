import Foundation
import SwallowResources
import SwallowTesting
import TestSupport
import Testing

import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A resource's caches and validators")
@MainActor
struct ResourceCachingTests {
    private let cache = MemoryCache()
    private let bench: Bench

    init() {
        bench = Bench { [cache] in $0.configure { $0.pipeline[.rawData].cacheUsing(cache) } }
    }

    /// Stores `[0]` in the cache, and advances the clock by a day.
    private func fill(_ bench: Bench, headers: [String: String] = [:]) async {
        let task = bench.store.service.GET("/numbers")
        await bench.answer(1, "[0]", headers: headers)
        _ = await task.result
        bench.clock.advance(by: .seconds(86_400))
    }

    @Test("The first load shows what the caches have, however old, then the server's answer")
    func cachedThenFresh() async throws {
        await fill(bench)
        let numbers = bench.numbers()
        let load = numbers.load()
        await until { numbers.latestEntity != nil }
        #expect(numbers.latestContent == [0] && numbers.latestEntity?.origin == .cache)
        #expect(numbers.isLoading && !numbers.isUpToDate && numbers.state == .loading([0]))
        await bench.answer(2, "[1]")
        #expect(try await load.value == [1])
        #expect(bench.events == [.requested, .newData(.cache), .newData(.network)])
        numbers.load()
        #expect(bench.requestCount == 3)
    }

    @Test("Without the server the cached data stays, and the error tells")
    func offline() async {
        await fill(bench)
        let numbers = bench.numbers()
        let load = numbers.load()
        await bench.exchange(2).complete(error: URLError(.notConnectedToInternet))
        #expect(await load.result.reason == .transport(URLError(.notConnectedToInternet)))
        #expect(numbers.state == .failed(.offline, [0]))
        #expect(bench.events == [.requested, .newData(.cache), .error])
    }

    @Test("A miss is nobody's error, and a configuration that ignores caches has them take no part")
    func missAndIgnore() async {
        let numbers = bench.numbers()
        let load = numbers.load()
        await bench.answer(1, "[1]")
        _ = await load.result
        #expect(bench.events == [.requested, .newData(.network)])
        let ignoring = Bench { [cache] in
            $0.configure {
                $0.pipeline[.rawData].cacheUsing(cache)
                $0.cachePolicy = .ignore
            }
        }
        let fresh = ignoring.numbers()
        let second = fresh.load()
        await ignoring.answer(1, "[2]")
        _ = await second.result
        #expect(ignoring.events == [.requested, .newData(.network)])
    }

    @Test(
        "load sends, whatever the configured caching: prefer doesn't keep it from that",
        arguments: [
            CachePolicy.preferCache(maxAge: .seconds(1 << 30)), .networkFirst, .validate,
        ])
    func alwaysSends(caching: CachePolicy) async throws {
        let bench = Bench { [cache] in
            $0.configure {
                $0.pipeline[.rawData].cacheUsing(cache)
                $0.cachePolicy = caching
            }
        }
        let numbers = bench.numbers()
        for number in 1...2 {
            let load = numbers.load()
            await bench.answer(number, "[\(number)]")
            #expect(try await load.value == [number])
        }
        #expect(bench.requestCount == 2)
    }

    @Test("A late read of a cache never overwrites what the app put there")
    func lateCache() async throws {
        let gate = DispatchSemaphore(value: 0)
        let slow = SlowCache(gate)
        let bench = Bench { service in service.configure { $0.pipeline[.rawData].cacheUsing(slow) } }
        let stored = bench.store.service.GET("/numbers")
        await bench.answer(1, "[0]")
        _ = await stored.result
        slow.isSlow.withLock { $0 = true }
        let numbers = bench.numbers()
        let load = numbers.load()
        numbers.override(content: [9])
        for _ in 0..<8 { gate.signal() }
        #expect(try await load.value == [9])
        await DispatchQueue.main.drained()
        #expect(numbers.latestContent == [9] && bench.events == [.requested, .newData(.localOverride)])
    }

    @Test(
        "A 304 is notModified, and renews the timestamp; the cache sends its validators, and is renewed too")
    func notModifiedByCache() async throws {
        await fill(bench, headers: ["ETag": "v1"])
        let numbers = bench.numbers()
        let load = numbers.load()
        await until { numbers.latestEntity != nil }
        #expect(await bench.exchange(2).request.value(forHTTPHeaderField: "If-None-Match") == "v1")
        await bench.answer(2, "", status: 304)
        #expect(try await load.value == [0])
        #expect(numbers.latestEntity?.origin == .revalidated && numbers.timestamp == bench.clock.now)
        #expect(numbers.isUpToDate)
        #expect(bench.events == [.requested, .newData(.cache), .notModified])
        let key = try #require(cache.key(for: await bench.exchange(1).request))
        #expect(cache.read(key)?.timestamp == bench.clock.now)
    }

    @Test("Without a cache load sends the data's own validators; a 304 is notModified")
    func notModified() async throws {
        let bench = Bench()
        let numbers = bench.numbers()
        let first = numbers.load()
        await bench.answer(
            1, "[1]", headers: ["ETag": "v1", "Last-Modified": "Sat, 21 Nov 2026 00:00:00 GMT"])
        _ = await first.result
        bench.clock.advance(by: .seconds(60))
        let second = numbers.load()
        let request = await bench.exchange(2).request
        #expect(request.value(forHTTPHeaderField: "If-None-Match") == "v1")
        #expect(request.value(forHTTPHeaderField: "If-Modified-Since") == "Sat, 21 Nov 2026 00:00:00 GMT")
        await bench.answer(2, "", status: 304)
        #expect(try await second.value == [1])
        #expect(numbers.isUpToDate && numbers.timestamp == bench.clock.now)
        #expect(numbers.latestEntity?.origin == .revalidated && numbers.latestError == nil)
        #expect(bench.events.suffix(2) == [.requested, .notModified])
    }

    @Test(
        "No validator is sent for what the app put there, nor does a 304 take its place that was asked for before"
    )
    func overridden() async throws {
        let bench = Bench()
        let numbers = bench.numbers()
        let first = numbers.load()
        await bench.answer(1, "[1]", headers: ["ETag": "v1"])
        _ = await first.result
        let second = numbers.load()
        let exchange = await bench.exchange(2)
        if let data = numbers.latestEntity { numbers.override(data.withContent([9])) }
        exchange.answer("", status: 304)
        #expect(try await second.value == [9])
        await DispatchQueue.main.drained()
        #expect(numbers.latestContent == [9] && bench.events.last == .newData(.localOverride))
        numbers.load()
        #expect(await bench.exchange(3).request.value(forHTTPHeaderField: "If-None-Match") == nil)
    }

    @Test("A 304 that nothing was asked about is an error")
    func stray304() async {
        let numbers = Bench().numbers()
        let bench = bench
        let resource = bench.numbers("/stray")
        let load = resource.load()
        await bench.answer(1, "", status: 304)
        #expect(await load.result.reason == .unacceptableStatus)
        #expect(resource.latestError?.statusCode == 304 && numbers.latestError == nil)
    }

    /// A memory cache without parsed content, whose `read` waits if `isSlow` is set.
    private final class SlowCache: EntityCache {
        let isSlow = Lock(false)
        let workQueue = DispatchQueue.patient
        private let memory = MemoryCache()
        private let gate: DispatchSemaphore

        init(_ gate: DispatchSemaphore) { self.gate = gate }

        func read(_ key: String) -> CachedResponse? {
            if isSlow.withLock({ $0 }) { gate.wait() }
            return memory.read(key)
        }
        func write(_ response: CachedResponse, for key: String) {
            var response = response
            response.content = nil
            memory.write(response, for: key)
        }
        func updateTimestamp(_ timestamp: Date, for key: String) {
            memory.updateTimestamp(timestamp, for: key)
        }
        func remove(_ key: String) { memory.remove(key) }
    }

    // MARK: - HTTP caching

    /// Returns a bench with standard caching, whose cache has stored `[0]` for `age` seconds.
    ///
    /// - Parameter configure: Also configures the resource's requests, but not the request that filled the cache.
    private func standard(
        _ headers: [String: String], age: Double,
        _ configure: @escaping @Sendable (inout WebService.Configuration) -> Void = { _ in }
    ) async -> Bench {
        let bench = Bench {
            $0.configure { [cache = MemoryCache()] configuration in
                configuration.cachePolicy = .standard
                configuration.pipeline[.rawData].cacheUsing(cache)
            }
        }
        let task = bench.store.service.GET("/numbers")
        await bench.answer(1, "[0]", headers: headers)
        _ = await task.result
        bench.store.service.configure { configure(&$0) }
        bench.clock.advance(by: .seconds(age))
        return bench
    }

    @Test("loadIfNeeded sends nothing where a cache has what is fresh and young enough")
    func freshCache() async throws {
        let bench = await standard(["Cache-Control": "max-age=60"], age: 29)
        let numbers = bench.numbers()
        #expect(try await numbers.loadIfNeeded().value == [0])
        #expect(bench.requestCount == 1 && bench.events == [.requested, .newData(.cache)])
        #expect(numbers.isUpToDate && !numbers.isLoading)
        bench.clock.advance(by: .seconds(2))
        numbers.loadIfNeeded()
        #expect(bench.requestCount == 2)
    }

    @Test(
        "What is stale, or older than the expiration time, is shown, and the server asked",
        arguments: [("max-age=20", 25.0), ("max-age=600", 31), ("no-cache", 1), ("max-age=0", 1)])
    func staleCache(field: String, age: Double) async throws {
        let bench = await standard(["Cache-Control": field], age: age)
        let numbers = bench.numbers()
        let load = numbers.loadIfNeeded()
        await bench.answer(2, "[1]")
        #expect(try await load.value == [1])
        #expect(bench.events.last == .newData(.network))
    }

    @Test(
        "A request that wants it fresher has the server asked, by its headers or once adapted",
        arguments: [
            ("max-age=0", true), ("max-age=5", true), ("min-fresh=55", true), ("no-cache", true),
            ("max-age=30", false), ("min-fresh=30", false),
        ], [true, false])
    func demandingRequest(_ demand: (field: String, isSent: Bool), isAdapted: Bool) async throws {
        let bench = await standard(["Cache-Control": "max-age=60"], age: 10) { configuration in
            if isAdapted {
                configuration.adaptRequest { $0.setValue(demand.field, forHTTPHeaderField: "Cache-Control") }
            } else {
                configuration.headers["Cache-Control"] = demand.field
            }
        }
        let load = bench.numbers().loadIfNeeded()
        if demand.isSent { await bench.answer(2, "[1]") }
        #expect(try await load.value == (demand.isSent ? [1] : [0]))
        #expect(bench.requestCount == (demand.isSent ? 2 : 1))
    }

    @Test("load sends, however fresh a cache's response is, and so does loadIfNeeded after an invalidation")
    func alwaysSent() async throws {
        for isInvalidated in [true, false] {
            let bench = await standard(["Cache-Control": "max-age=60"], age: 1)
            let numbers = bench.numbers()
            if isInvalidated { numbers.invalidate() }
            let load = isInvalidated ? numbers.loadIfNeeded() : numbers.load()
            await bench.answer(2, "[1]")
            #expect(try await load.value == [1])
        }
    }

    @Test(
        "What a task of the store's service refreshes in the background reaches the resource",
        arguments: [true, false])
    func refreshed(isConfirmed: Bool) async throws {
        let headers = ["Cache-Control": "max-age=20, stale-while-revalidate=60", "ETag": "\"1\""]
        let bench = await standard(headers, age: 1)
        let (numbers, other) = (bench.numbers(), bench.numbers("/others"))
        #expect(try await numbers.loadIfNeeded().value == [0])
        bench.clock.advance(by: .seconds(25))
        #expect(try await bench.store.service.GET("/numbers").decoded(as: [Int].self) == [0])
        if isConfirmed {
            await bench.answer(2, "", status: 304, headers: ["ETag": "\"1\""])
        } else {
            await bench.answer(2, "[1]", headers: ["ETag": "\"2\""])
        }
        await until { bench.events.count == 3 }
        #expect(bench.events.last == (isConfirmed ? .notModified : .newData(.cache)))
        #expect(numbers.latestContent == (isConfirmed ? [0] : [1]) && numbers.isUpToDate)
        #expect(bench.requestCount == 2 && !other.hasContent)
    }

    @Test("A refresh reaches the resource after the stale response, which a busy queue delays")
    func refreshedBeforeDelivery() async throws {
        let (cache, queue) = (SlowCache(DispatchSemaphore(value: 0)), DispatchQueue(label: "busy"))
        let bench = Bench { $0.configure { $0.pipeline[.rawData].cacheUsing(cache) } }
        let headers = ["Cache-Control": "max-age=20, stale-while-revalidate=60"]
        let numbers = bench.numbers()
        numbers.load()
        await bench.answer(1, "[0]", headers: headers)
        await until { numbers.hasContent }
        bench.clock.advance(by: .seconds(25))
        queue.suspend()
        var service = bench.store.service
        service.startTasksImmediately = false
        let load = numbers.load(using: service.GET("/numbers").responseJSON(queue) { _ in })
        await bench.answer(2, "[1]", headers: headers)
        #expect(try await stores([1], bench))
        queue.resume()
        #expect(try await load.value == [0])
        await until { numbers.latestContent == [1] }
        #expect(numbers.isUpToDate)
    }

    /// Waits until a response is in the cache, which is when the background request has completed.
    private func stores(_ content: JSON, _ bench: Bench) async throws -> Bool {
        let options: [Request.Option] = [.cachePolicy(.onlyCache)]
        for _ in 0..<100_000 {
            if try await bench.store.service.GET("/numbers", options: options).json == content { return true }
            await Task.yield()
        }
        return false
    }

    @Test(
        "A refresh changes nothing of the app's own data, and nothing after a wipe", arguments: [true, false])
    func refreshedTooLate(isWiped: Bool) async throws {
        let headers = ["Cache-Control": "max-age=20, stale-while-revalidate=60"]
        let bench = await standard(headers, age: 1)
        let numbers = bench.numbers()
        #expect(try await numbers.loadIfNeeded().value == [0])
        bench.clock.advance(by: .seconds(25))
        _ = try await bench.store.service.GET("/numbers").decoded(as: [Int].self)
        if isWiped { numbers.wipe() } else { numbers.override(content: [9]) }
        await bench.answer(2, "[1]")
        #expect(try await stores([1], bench))
        for _ in 0..<100 { await Task.yield() }
        #expect(numbers.latestContent == (isWiped ? nil : [9]))
    }

    @Test("No cache of the transport's takes part in a resource's load")
    func transportCache() async {
        let bench = Bench()
        bench.numbers().load()
        #expect(await bench.exchange(1).request.cachePolicy == .reloadIgnoringLocalCacheData)
    }
}
