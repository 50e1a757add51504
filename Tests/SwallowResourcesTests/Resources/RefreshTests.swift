import Foundation
import Swallow
import SwallowResources
import SwallowTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Refresh triggers")
@MainActor
struct RefreshTests {
    private let bench = Bench()
    private var store: ResourceStore { bench.store }
    private static let interval = RefreshTrigger.every(.seconds(60), jitter: 0)

    /// Responds to the next request, and waits for the load.
    private func answer<C>(_ number: Int, _ resource: Resource<C>, _ body: String = "[1]", status: Int = 200)
        async
    {
        let load = resource.loadIfNeeded()
        await bench.answer(number, body, status: status)
        _ = await load.result
    }

    // MARK: - Intervals

    @Test("An observed resource is loaded again when the interval has passed since its latest load")
    func interval() async {
        store.refreshTriggers = [Self.interval]
        let numbers = bench.numbers()
        for number in 1...3 {
            await answer(number, numbers)
            bench.clock.advance(by: .milliseconds(59_999))
            #expect(bench.requestCount == number && !numbers.isLoading)
            bench.clock.advance(by: .milliseconds(1))
            #expect(numbers.isLoading)
        }
    }

    @Test("A load of the app's own, and one that takes long, postpone the next refresh")
    func postponed() async {
        store.refreshTriggers = [Self.interval]
        let numbers = bench.numbers()
        await answer(1, numbers)
        bench.clock.advance(by: .seconds(40))
        numbers.load()
        bench.clock.advance(by: .seconds(10))
        await answer(2, numbers)
        bench.clock.advance(by: .seconds(59))
        #expect(bench.requestCount == 2)
        bench.clock.advance(by: .seconds(1))
        #expect(numbers.isLoading)
        bench.clock.advance(by: .seconds(30))
        await answer(3, numbers)
        bench.clock.advance(by: .seconds(59))
        #expect(!numbers.isLoading)
        bench.clock.advance(by: .seconds(1))
        #expect(numbers.isLoading)
    }

    @Test("A refresh doesn't replace a load that is under way")
    func loading() async throws {
        store.refreshTriggers = [.every(.seconds(1), jitter: 0)]
        let load = bench.numbers().load()
        bench.clock.advance(by: .seconds(5))
        await bench.answer(1, "[1]")
        #expect(try await load.value == [1])
        #expect(bench.requestCount == 1)
    }

    @Test("A failed load is followed by the next refresh")
    func failure() async {
        store.refreshTriggers = [Self.interval]
        let numbers = bench.numbers()
        await answer(1, numbers, status: 500)
        bench.clock.advance(by: .seconds(60))
        await answer(2, numbers)
        #expect(numbers.latestContent == [1])
    }

    @Test("Nothing is refreshed by default, and nothing that isn't observed")
    func unobserved() async {
        let numbers = bench.numbers()
        await answer(1, numbers)
        let idle = bench.clock.pending
        #expect(idle == 0)
        store.refreshTriggers = [Self.interval]
        #expect(bench.clock.pending == 1)
        let others = store.resource("/others", as: [Int].self)
        await answer(2, others)
        numbers.removeObservers(ownedBy: bench)
        bench.clock.advance(by: .seconds(300))
        store.appDidReturnToForeground()
        store.networkDidReturn()
        #expect(bench.requestCount == 2 && bench.clock.pending == 0)
    }

    @Test("A resource's own triggers apply instead of the store's")
    func override() async {
        store.refreshTriggers = [Self.interval]
        let (slow, never, numbers) = (bench.numbers("/slow"), bench.numbers("/never"), bench.numbers())
        slow.refreshTriggers = [.every(.seconds(600), jitter: 0), .every(.seconds(90), jitter: 0)]
        never.refreshTriggers = []
        await answer(1, slow)
        await answer(2, never)
        await answer(3, numbers)
        bench.clock.advance(by: .seconds(60))
        #expect(numbers.isLoading && !slow.isLoading && !never.isLoading)
        bench.clock.advance(by: .seconds(30))
        #expect(slow.isLoading && !never.isLoading)
        never.refreshTriggers = nil
        bench.clock.advance(by: .seconds(62))
        #expect(never.isLoading)
    }

    @Test("One timer serves all resources, and the jitter spreads their loads")
    func jitter() {
        store.refreshTriggers = [.every(.seconds(100), jitter: 0.2)]
        let resources = (0..<200).map { bench.numbers("/numbers/\($0)") }
        #expect(bench.clock.pending == 1)
        bench.clock.advance(by: .milliseconds(79_999))
        #expect(resources.count { $0.isLoading } == 0)
        bench.clock.advance(by: .seconds(20))
        let half = resources.count { $0.isLoading }
        #expect((20...180).contains(half))
        bench.clock.advance(by: .seconds(22.1))
        #expect(resources.count { $0.isLoading } == 200)
    }

    @Test("An interval of zero, or below, refreshes nothing", arguments: [0, -1])
    func noInterval(seconds: Int) {
        store.refreshTriggers = [.every(.seconds(seconds))]
        _ = bench.numbers()
        #expect(bench.clock.pending == 0)
    }

    // MARK: - Foreground and network

    @Test("The return to the foreground loads what is out of date")
    func foreground() async {
        store.refreshTriggers = [.foreground]
        let (numbers, others) = (bench.numbers(), bench.numbers("/others"))
        others.refreshTriggers = [.reconnect]
        await answer(1, numbers)
        await answer(2, others)
        store.appDidReturnToForeground()
        #expect(!numbers.isLoading)
        bench.clock.advance(by: .seconds(31))
        store.appDidReturnToForeground()
        #expect(numbers.isLoading && !others.isLoading)
    }

    @Test(
        "The system's notification is the return to the foreground",
        arguments: [
            "UIApplicationWillEnterForegroundNotification", "NSApplicationDidBecomeActiveNotification",
            "WKApplicationWillEnterForegroundNotification",
        ])
    func notification(name: String) {
        store.refreshTriggers = [.foreground]
        let numbers = bench.numbers()
        NotificationCenter.default.post(name: Notification.Name(name), object: nil)
        #expect(numbers.isLoading)
    }

    @Test("The return of the network loads what is out of date, and what has failed")
    func reconnect() async {
        store.refreshTriggers = [.reconnect]
        let (fresh, stale, failed) = (
            bench.numbers("/fresh"), bench.numbers("/stale"), bench.numbers("/failed")
        )
        await answer(1, stale)
        bench.clock.advance(by: .seconds(31))
        await answer(2, fresh)
        await answer(3, failed, status: 500)
        store.networkDidReturn()
        #expect(!fresh.isLoading && stale.isLoading && failed.isLoading)
    }

    @Test("A response after a load that didn't reach the server is the return of the network")
    func reached() async {
        store.refreshTriggers = [.reconnect]
        let (numbers, others) = (bench.numbers(), bench.numbers("/others"))
        for (number, resource) in [numbers, others].enumerated() {
            let load = resource.load()
            await bench.exchange(number + 1).complete(error: URLError(.cannotConnectToHost))
            _ = await load.result
        }
        #expect(!numbers.isLoading)
        others.load()
        await answer(3, others, status: 404)
        #expect(numbers.isLoading && !others.isLoading)
        await answer(4, numbers)
        others.load()
        await answer(5, others)
        #expect(!numbers.isLoading && bench.requestCount == 5)
    }
}
