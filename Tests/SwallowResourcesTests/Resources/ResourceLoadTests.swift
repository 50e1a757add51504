import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

@testable import SwallowResources

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A resource's loads")
@MainActor
struct ResourceLoadTests {
    private let bench = Bench()

    @Test("A new resource has nothing, and sends nothing before its first load")
    func new() async {
        let numbers = bench.numbers()
        #expect(numbers.latestData == nil && numbers.latestError == nil && numbers.latestContent == nil)
        #expect(
            !numbers.isLoading && !numbers.isUpToDate && numbers.timestamp == nil && numbers.state == .empty)
        #expect(bench.requestCount == 0 && numbers.progress == 0 && !numbers.isRequesting)
        #expect(numbers.url?.absoluteString == "http://service.test/v1/numbers")
    }

    @Test("A load brings data, and says so")
    func load() async throws {
        let numbers = bench.numbers()
        let load = numbers.load()
        #expect(numbers.isLoading && numbers.isRequesting && numbers.state == .loading(nil))
        #expect(bench.events == [.requested])
        await bench.answer(1, "[1, 2]")
        #expect(try await load.value == [1, 2])
        #expect(numbers.latestContent == [1, 2] && numbers.state == .loaded([1, 2]) && !numbers.isLoading)
        #expect(numbers.latestData?.origin == .network && numbers.timestamp == bench.clock.now)
        #expect(numbers.progress == 1 && !numbers.isRequesting)
        #expect(bench.events == [.requested, .newData(.network)])
    }

    @Test("Data survives a failed load; the error is of the latest load only")
    func failure() async throws {
        let numbers = bench.numbers()
        numbers.load()
        await bench.answer(1, "[1]")
        _ = await numbers.loadIfNeeded().result
        let load = numbers.load()
        await bench.answer(2, "{}", status: 500)
        #expect(await load.result.reason == .unacceptableStatus)
        #expect(numbers.latestContent == [1] && numbers.latestError?.statusCode == 500)
        #expect(numbers.state == .failed(ServiceError(.unacceptableStatus), [1]))
        #expect(bench.events.suffix(2) == [.requested, .error])
        let again = numbers.load()
        #expect(numbers.latestError == nil && numbers.state == .loading([1]))
        await bench.answer(3, "[2]")
        #expect(try await again.value == [2])
        #expect(numbers.latestError == nil && numbers.state == .loaded([2]))
    }

    @Test("A load that is replaced ends cancelled, without an event, and never writes")
    func replaced() async throws {
        let numbers = bench.numbers()
        let first = numbers.load()
        let exchange = await bench.exchange(1)
        let second = numbers.load()
        #expect(await first.result.reason == .cancelled)
        #expect(numbers.isLoading && exchange.calls.values.contains(.cancel))
        exchange.answer("[1]")
        await bench.answer(2, "[2]")
        #expect(try await second.value == [2])
        #expect(numbers.latestContent == [2] && numbers.latestError == nil)
        #expect(bench.events == [.requested, .requested, .newData(.network)])
    }

    @Test("load always sends; loadIfNeeded joins the load under way")
    func joining() async throws {
        let numbers = bench.numbers()
        let loads = [numbers.loadIfNeeded(), numbers.loadIfNeeded(), numbers.loadIfNeeded()]
        _ = await bench.exchange(1)
        #expect(bench.requestCount == 1 && bench.events == [.requested])
        await bench.answer(1, "[1]")
        for load in loads { #expect(try await load.value == [1]) }
        numbers.load()
        #expect(numbers.isLoading && bench.requestCount == 2)
    }

    @Test("loadIfNeeded gives a load that has ended while the data is up to date: for 30 s")
    func upToDate() async throws {
        let numbers = bench.numbers()
        numbers.load()
        await bench.answer(1, "[1]")
        await until { !numbers.isLoading }
        bench.clock.advance(by: .seconds(30))
        #expect(numbers.isUpToDate)
        #expect(try await numbers.loadIfNeeded().value == [1])
        #expect(bench.requestCount == 1)
        let events = bench.events
        bench.clock.advance(by: .milliseconds(1))
        #expect(!numbers.isUpToDate && bench.events == events, "expiry by itself notifies somebody")
        numbers.loadIfNeeded()
        #expect(numbers.isLoading && bench.requestCount == 2)
    }

    @Test("After an error loadIfNeeded gives that for 1 s, then tries again")
    func retryTime() async {
        let numbers = bench.numbers()
        let load = numbers.load()
        await bench.answer(1, "", status: 503)
        _ = await load.result
        bench.clock.advance(by: .seconds(1))
        #expect(numbers.isUpToDate && numbers.timestamp == bench.clock.now.addingTimeInterval(-1))
        #expect(await numbers.loadIfNeeded().result.reason == .unacceptableStatus)
        #expect(bench.requestCount == 1)
        bench.clock.advance(by: .milliseconds(1))
        numbers.loadIfNeeded()
        #expect(numbers.isLoading)
    }

    @Test("Both times are the configuration's, or the resource's own")
    func times() async {
        let bench = Bench { service in
            service.configure("/numbers") {
                $0.expirationTime = .seconds(5)
                $0.retryTime = .seconds(60)
            }
        }
        let numbers = bench.numbers()
        numbers.override(content: [1])
        bench.clock.advance(by: .seconds(6))
        #expect(!numbers.isUpToDate)
        numbers.expirationTime = .seconds(6)
        #expect(numbers.isUpToDate)
        let load = numbers.load()
        await bench.answer(1, "", status: 500)
        _ = await load.result
        bench.clock.advance(by: .seconds(60))
        #expect(numbers.isUpToDate)
        numbers.retryTime = .seconds(59)
        #expect(!numbers.isUpToDate)
    }

    @Test("onEnd gets the outcome after the observers, once, and late too; never inside the call")
    func onEnd() async {
        let numbers = bench.numbers()
        var log: [String] = []
        numbers.addObserver(owner: bench) { _, _, event in log.append("\(event)") }
        log = []
        let load = numbers.load().onEnd { log.append("end \($0.value ?? [])") }
        await bench.answer(1, "[1]")
        _ = await load.result
        #expect(log == ["requested", "newData(SwallowResources.ResourceEvent.Source.network)", "end [1]"])
        let late = Event()
        load.onEnd { _ in late.happen() }
        #expect(!late.hasHappened)
        await late.wait()
    }

    @Test("A load begun before an invalidation doesn't lift it")
    func invalidation() async {
        let numbers = bench.numbers()
        let load = numbers.load()
        _ = await bench.exchange(1)
        numbers.invalidate()
        await bench.answer(1, "[1]")
        _ = await load.result
        #expect(numbers.latestContent == [1] && !numbers.isUpToDate)
        #expect(bench.events == [.requested, .newData(.network)])
        let second = numbers.loadIfNeeded()
        await bench.answer(2, "[2]")
        _ = await second.result
        #expect(numbers.isUpToDate)
        numbers.invalidate()
        #expect(!numbers.isUpToDate)
    }

    @Test("A cancelled load lifts nothing, nor does one that fails; after it, retrying waits its time")
    func invalidationAndFailure() async {
        let numbers = bench.numbers()
        numbers.override(content: [1])
        numbers.invalidate()
        numbers.load().cancel()
        #expect(!numbers.isUpToDate)
        let load = numbers.load()
        await bench.answer(2, "", status: 500)
        _ = await load.result
        #expect(numbers.isUpToDate, "it would be asked again at once")
        numbers.load().cancel()
        #expect(numbers.isUpToDate, "a cancelled load changes nothing")
    }

    @Test("What the configured closures throw, or a path that makes no URL, fails the load")
    func unsendable() async {
        let load = bench.store.resource("/\("..")", as: [Int].self).load()
        #expect(await load.result.reason == .invalidURL)
        let failing = Resource(bench.store.service.future(as: [Int].self) { _ in throw AppError() })
        #expect(await failing.load().result.reason == .thrown)
        #expect(failing.latestError?.underlying as? AppError == AppError())
    }
}
