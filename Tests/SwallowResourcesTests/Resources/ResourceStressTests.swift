import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

@testable import SwallowResources

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A resource in every order")
@MainActor
struct ResourceStressTests {
    /// A screen that shows only the state that events report. It must equal the state of the resource.
    @MainActor
    private final class Screen {
        var shown: [Int]?
        var isLoading = false

        func see(_ resource: Resource<[Int]>, _ event: ResourceEvent) {
            shown = resource.latestContent
            switch event {
            case .requested: isLoading = true
            case .requestCancelled, .error, .notModified, .newData(.network), .newData(.wipe),
                .newData(.localOverride):
                isLoading = false
            case .observerAdded: isLoading = resource.isLoading
            case .newData(.cache): break
            }
        }
    }

    private struct Dice: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 11 &* 0x9E37_79B9_7F4A_7C15
        }
    }

    @Test(
        "Loads replaced, cancelled, invalidated, overridden, wiped and observed: only the latest load writes",
        arguments: 0..<UInt64(Sanitizer.rounds(24, sanitized: 6)))
    func storm(seed: UInt64) async {
        let cache = MemoryCache()
        let bench = Bench { service in service.configure { $0.pipeline[.rawData].cacheUsing(cache) } }
        let resource = bench.store.resource("/numbers", as: [Int].self)
        var dice = Dice(state: seed &* 77 &+ 5)
        var screens: [Screen] = []
        var latest: ResourceLoad<[Int]>?
        var completions = 0
        var loads = 0

        for _ in 0..<Sanitizer.rounds(300, sanitized: 100) {
            let exchanges = bench.source.exchanges.values
            switch Int.random(in: 0..<14, using: &dice) {
            case 0, 1, 2:
                loads += 1
                latest = resource.load().onEnd { _ in completions += 1 }
            case 3:
                loads += 1
                resource.loadIfNeeded().onEnd { _ in completions += 1 }
            case 4: latest?.cancel()
            case 5: resource.invalidate()
            case 6: resource.override(content: [-1])
            case 7: resource.wipe()
            case 8:
                let screen = Screen()
                screens.append(screen)
                resource.addObserver(owner: screen) { $0.see($1, $2) }
            case 9:
                if let screen = screens.popLast(), Bool.random(using: &dice) {
                    resource.removeObservers(ownedBy: screen)
                }
            case 10: bench.clock.advance(by: .seconds(Int.random(in: 0..<20, using: &dice)))
            case 11:
                // Responds to any request, early or late, even if it was cancelled.
                if let number = exchanges.indices.randomElement(using: &dice) {
                    exchanges[number].answer(
                        "[\(number)]",
                        headers: [
                            "Content-Type": "application/json", "ETag": "v\(number)",
                        ])
                }
            case 12: exchanges.randomElement(using: &dice)?.answer("", status: 304)
            default:
                for _ in 0..<Int.random(in: 0..<4, using: &dice) { await Task.yield() }
            }
            for screen in screens {
                #expect(screen.shown == resource.latestContent && screen.isLoading == resource.isLoading)
            }
        }
        // The content is the last load's response, whatever the other requests return.
        let count = bench.requestCount
        let last = resource.load()
        let exchange = await bench.exchange(count + 1)
        for (number, old) in bench.source.exchanges.values.prefix(count).enumerated() {
            old.answer("[\(number)]")
        }
        exchange.answer("[1000000]", headers: ["Content-Type": "application/json"])
        #expect(await last.result.value == [1_000_000])
        await DispatchQueue.main.drained()
        #expect(resource.latestContent == [1_000_000] && !resource.isLoading)
        await until { completions == loads }
        for screen in screens { #expect(screen.shown == [1_000_000] && !screen.isLoading) }
    }

    @Test("The race that state keepers lose: a replaced load's end never clears the loading of the next")
    func race() async {
        let bench = Bench()
        let resource = bench.numbers()
        var loads: [ResourceLoad<[Int]>] = []
        for _ in 0..<50 {
            loads.append(resource.load())
            #expect(resource.isLoading)
            await Task.yield()
            #expect(resource.isLoading, "an old load's end has cleared the new one's")
        }
        for load in loads.dropLast() { #expect(await load.result.reason == .cancelled) }
        #expect(resource.isLoading && resource.latestError == nil)
        #expect(bench.events == Array(repeating: .requested, count: 50))
    }

    @Test("Handles may be awaited, cancelled and told of the end from many threads at once")
    func threads() async {
        let bench = Bench()
        let resource = bench.store.resource("/numbers", as: [Int].self)
        let completions = Recorder<Void>()
        let count = Sanitizer.rounds(200, sanitized: 60)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                let load = resource.load()
                for waiter in 0..<3 {
                    group.addTask { @concurrent in
                        if (number + waiter) % 5 == 0 { load.cancel() }
                        load.onEnd { _ in completions.append(()) }
                        _ = await load.result
                    }
                }
                if number % 7 == 0 { await Task.yield() }
            }
            resource.load().cancel()
        }
        _ = await completions.first(3 * count)
        #expect(!resource.isLoading)
    }

    @Test("Loads and their owners leave nothing behind")
    func noLeak() async {
        weak var weakStore: ResourceStore?
        weak var weakResource: Resource<[Int]>?
        weak var weakLoading: AnyObject?
        do {
            let bench = Bench()
            weakStore = bench.store
            let resource = bench.numbers()
            weakResource = resource
            let replaced = resource.load()
            let load = resource.load().onEnd { _ in _ = resource }
            weakLoading = resource.loading
            await bench.answer(2, "[1]")
            _ = await load.result
            _ = await replaced.result
            let write = resource.request(.POST)
            await bench.answer(3, "{}")
            _ = await write.result
            await until { resource.isLoading }
            await bench.answer(4, "[1]")
            await until { !resource.isLoading }
        }
        await until { weakResource == nil && weakStore == nil && weakLoading == nil }
    }
}
