import Foundation
import Testing
import TestSupport

import Swallow

@Suite("Handlers run in order")
struct HandlerOrderTests {
    private let source = ManualDataSource()

    @Test("Across queues, each handler starts after the one before has returned")
    func acrossQueues() async {
        let serial = DispatchQueue(label: "serial")
        let log = Recorder<String>()
        WebService.test(source).GET("/")
            .response { _, _ in log.append("main") }
            .responseJSON(.utility) { _ in log.append("utility") }
            .responseText(serial) { _ in log.append("serial") }
            .responseDecoded(as: [String: Int].self) { _ in log.append("main again") }
            .responseContent(.background, as: JSON.self) { _ in log.append("background") }
            .responseCompleted(serial) { _ in log.append("completed") }
        await source.exchange.answer()
        #expect(
            await log.first(6) == ["main", "utility", "serial", "main again", "background", "completed"])
    }

    @Test("Thousands of chains over mixed queues keep their order if responses arrive on many threads")
    func stress() async {
        let serial = DispatchQueue(label: "serial")
        let concurrent = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let finished = Recorder<Bool>()
        let chains = 3000
        for chain in 0..<chains {
            let progress = Lock((next: 0, isRunning: false, isInOrder: true))
            let task = WebService.test(source).GET("/\(chain)")
            for index in 0..<12 {
                let step: @Sendable () -> Void = {
                    progress.withLock { progress in
                        progress.isInOrder =
                            progress.isInOrder && progress.next == index && !progress.isRunning
                        progress.isRunning = true
                    }
                    progress.withLock { progress in
                        progress.next += 1
                        progress.isRunning = false
                    }
                }
                switch (chain &+ index * 7) % 6 {
                case 0: task.response { _, _ in step() }
                case 1: task.response(serial) { _, _ in step() }
                case 2: task.responseJSON(.userInitiated) { _ in step() }
                case 3: task.responseText(concurrent) { _ in step() }
                case 4: task.responseCompleted { _ in step() }
                default: task.responseDecoded(.utility, as: [String: Int].self) { _ in step() }
                }
            }
            task.responseCompleted(concurrent) { _ in
                finished.append(progress.withLock { $0.next == 12 && $0.isInOrder })
            }
        }
        let exchanges = await source.exchanges.first(chains)
        DispatchQueue.concurrentPerform(iterations: chains) { exchanges[$0].answer() }
        #expect(await finished.first(chains).allSatisfy { $0 })
    }

    @Test("No handler runs inside the call that attaches it")
    @MainActor func notInsideAttach() async {
        let source = ManualDataSource(answersInResume: { $0.answer() })
        let ran = Recorder<Int>()
        let task = WebService.test(source).GET("/")
        task.response { _, _ in ran.append(1) }
        task.responseJSON(.userInteractive) { _ in }
        task.responseCompleted { _ in ran.append(2) }
        #expect(ran.values.isEmpty)
        #expect(await ran.first(2) == [1, 2])
        task.responseCompleted { _ in ran.append(3) }
        #expect(ran.values.count == 2)
        #expect(await ran.first(3) == [1, 2, 3])
    }

    @Test("A handler attached by a handler runs last")
    func attachedByHandler() async {
        let log = Recorder<Int>()
        let task = WebService.test(source).GET("/")
        task.response(.utility) { _, _ in
            log.append(1)
            task.response(.utility) { _, _ in log.append(3) }
        }
        .response(.utility) { _, _ in log.append(2) }
        await source.exchange.answer()
        #expect(await log.first(3) == [1, 2, 3])
    }

    @Test("Consecutive handlers on the same queue share one dispatch")
    func shareQueueChange() async {
        let queue = DispatchQueue(label: "serial")
        let log = Recorder<String>()
        WebService.test(source).GET("/")
            .responseJSON(queue) { _ in
                log.append("first")
                queue.async { log.append("between hops") }
            }
            .responseJSON(queue) { _ in log.append("second") }
            .response(queue) { _, _ in log.append("third") }
        await source.exchange.answer()
        #expect(await log.first(4) == ["first", "second", "third", "between hops"])
    }

    @Test("Chains that wait for a queue block no thread")
    func noBlockedThread() async {
        let suspended = DispatchQueue(label: "suspended")
        suspended.suspend()
        let late = Recorder<Int>()
        for index in 0..<1000 {
            WebService.test(ManualDataSource(answersInResume: { $0.answer() })).GET("/\(index)")
                .response(suspended) { _, _ in }
                .response(.userInitiated) { _, _ in late.append(index) }
        }
        let other = Event()
        WebService.test(source).GET("/").response(.userInitiated) { _, _ in other.happen() }
        await source.exchange.answer()
        await other.wait()
        #expect(late.values.isEmpty)
        suspended.resume()
        #expect(await late.first(1000).count == 1000)
    }

    @Test("A slow handler delays no other task")
    func slowHandler() async {
        let gate = DispatchSemaphore(value: 0)
        let other = Event()
        WebService.test(source).GET("/slow").response(.patient) { _, _ in gate.wait() }
        WebService.test(source).GET("/other").response(.userInitiated) { _, _ in other.happen() }
        for exchange in await source.exchanges.first(2) { exchange.answer() }
        await other.wait()
        gate.signal()
    }

    @Test("A handler runs on the queue it names, or on the main actor if it names none")
    func whereHandlersRun() async {
        let key = DispatchSpecificKey<Bool>()
        let queue = DispatchQueue(label: "named")
        queue.setSpecific(key: key, value: true)
        let places = Recorder<String>()
        WebService.test(source).GET("/")
            .responseJSON { _ in
                MainActor.assertIsolated()
                places.append("main")
            }
            .responseJSON(queue) { _ in
                places.append(DispatchQueue.getSpecific(key: key) == true ? "named" : "?")
            }
            .response(.main) { _, _ in
                MainActor.assertIsolated()
                places.append("main")
            }
        await source.exchange.answer()
        #expect(await places.first(3) == ["main", "named", "main"])
    }

    @Test("Decoding happens off the main queue")
    @MainActor func decodingOffMainQueue() async throws {
        DispatchQueue.main.setSpecific(key: QueueProbe.key, value: true)
        let source = ManualDataSource(answersInResume: { $0.answer() })
        let probes = Recorder<Bool>()
        let task = WebService.test(source).GET("/")
            .response { _, _ in probes.append(QueueProbe.isOnMainQueue) }
            .responseDecoded(as: QueueProbe.self) { probes.append($0.wasOnMainQueue) }
            .responseDecoded(.main, as: QueueProbe.self) { probes.append($0.wasOnMainQueue) }
        #expect(try await !task.decoded(as: QueueProbe.self).wasOnMainQueue)
        #expect(await probes.first(3) == [true, false, false])
    }

    @Test("Consecutive handlers on the main actor and the main queue share one dispatch")
    func shareMainQueueChange() async {
        let log = Recorder<String>()
        WebService.test(source).GET("/")
            .response { _, _ in
                log.append("first")
                DispatchQueue.main.async { log.append("between hops") }
            }
            .response(.main) { _, _ in log.append("second") }
            .response(.main) { _, _ in log.append("third") }
        await source.exchange.answer()
        #expect(await log.first(4) == ["first", "second", "third", "between hops"])
    }
}

/// A model that records whether it was decoded on the main queue.
struct QueueProbe: Decodable, Sendable {
    static let key = DispatchSpecificKey<Bool>()
    static var isOnMainQueue: Bool { DispatchQueue.getSpecific(key: key) == true }

    let wasOnMainQueue = isOnMainQueue

    init(from decoder: any Decoder) {}
}
