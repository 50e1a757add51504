import Foundation
import TestSupport
import Testing

import Swallow

@Suite("A configuration that several threads use concurrently")
struct ConfigurationRaceTests {
    private func header(_ service: WebService) -> String? { service.GET("/").request.headers["X"] }

    @Test("Many threads receive the same configuration, regardless of which thread runs the closures")
    func manyThreads() async {
        let (results, meeting) = (Recorder<String?>(), DispatchGroup())
        for _ in 0..<8 { meeting.enter() }
        var service = WebService.idle("http://h")
        service.configure {
            $0.headers["X"] = UUID().uuidString
            meeting.leave()
            _ = meeting.wait(timeout: .now() + 600)
        }
        service.configure("/a/*") { $0.timeout = .seconds(1) }
        for index in 0..<8 {
            Thread.detachNewThread { [service] in
                results.append(service.GET(index % 2 == 0 ? "/a/\(index)" : "/b").request.headers["X"])
            }
        }
        let headers = await results.first(8)
        #expect(headers.allSatisfy { $0 != nil } && Set(headers).count == 2)
    }

    @Test("A closure can wait for a queue that sends a request of the same service")
    func waitingForQueue() async {
        let (isInside, isBusy) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let (queue, isFirst, found) = (DispatchQueue.patient, Lock(true), Recorder<String?>())
        var service = WebService.idle("http://service.test")
        service.configure {
            $0.headers["X"] = UUID().uuidString
            guard isFirst.withLock({ $0.take() }) else { return }
            isInside.signal()
            isBusy.wait()
            queue.sync {}
        }
        Thread.detachNewThread { [service] in found.append(header(service)) }
        queue.async { [service] in
            isInside.wait()
            isBusy.signal()
            found.append(header(service))
        }
        let headers = await found.first(2)
        #expect(headers.allSatisfy { $0 != nil } && Set(headers).count == 1)
    }

    private final class Trace: Sendable {
        weak let cache: DiskCache?
        let name: String

        init(_ cache: DiskCache, _ name: String) { (self.cache, self.name) = (cache, name) }
    }

    @Test("The disk cache of a discarded configuration is released without creating its folder")
    func discarded() async throws {
        let (folder, traces, isSuccess) = (TemporaryFolder(), Recorder<Trace>(), Recorder<Bool>())
        let meeting = DispatchGroup()
        for _ in 0..<2 { meeting.enter() }
        var service = WebService.test(CachingServer { $0.answer("[1]") })
        service.configure { configuration in
            let name = UUID().uuidString
            let cache = DiskCache(folder: folder.file(name))
            traces.append(Trace(cache, name))
            configuration.pipeline[.rawData].cacheUsing(cache)
            meeting.leave()
            _ = meeting.wait(timeout: .now() + 600)
        }
        for _ in 0..<2 {
            Thread.detachNewThread { [service] in
                service.GET("/a").responseCompleted(.utility) { isSuccess.append((try? $0.get()) != nil) }
            }
        }
        #expect(await isSuccess.first(2) == [true, true])
        await until { traces.values.compactMap(\.cache).count == 1 && !folder.names.isEmpty }
        let stored = try #require(traces.values.first { $0.cache != nil })
        await stored.cache?.workQueue.drained()
        #expect(traces.values.count == 2)
        #expect(folder.names == [stored.name])
        withExtendedLifetime(service) {}
    }

    @Test("A configuration that is invalidated while its closures run isn't stored")
    func invalidated() {
        let (later, runs) = (Lock<WebService?>(nil), Recorder<Void>())
        var service = WebService.idle("http://h")
        service.configure { _ in
            runs.append(())
            if runs.values.count == 1 { later.withLock { $0 }?.invalidateConfiguration() }
        }
        later.withLock { [service] in $0 = service }
        for _ in 0..<3 { _ = service.GET("/") }
        #expect(runs.values.count == 2)
    }

    @Test("A configuration can be invalidated while requests are created")
    func invalidationRace() {
        var service = WebService.idle("http://h")
        service.configure { $0.headers["X"] = "y" }
        let shared = service
        DispatchQueue.concurrentPerform(iterations: 400) { index in
            if index % 4 == 0 { shared.invalidateConfiguration() }
            #expect(header(shared) == "y")
        }
    }
}

extension Bool {
    /// Returns the value and sets it to false.
    fileprivate mutating func take() -> Bool {
        defer { self = false }
        return self
    }
}
