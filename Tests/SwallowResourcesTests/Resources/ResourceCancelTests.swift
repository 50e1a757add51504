import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

@testable import SwallowResources

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A resource's loads that are cancelled")
@MainActor
struct ResourceCancelTests {
    private let bench = Bench()

    @Test("A handle's cancel cancels the load for all who share it, with one event")
    func cancel() async {
        let numbers = bench.numbers()
        let (load, joined) = (numbers.load(), numbers.loadIfNeeded())
        let exchange = await bench.exchange(1)
        load.cancel()
        #expect(!numbers.isLoading && numbers.latestError == nil)
        #expect(bench.events == [.requested, .requestCancelled])
        #expect(await joined.result.reason == .cancelled)
        #expect(exchange.calls.values.contains(.cancel))
        load.cancel()
        joined.cancel()
        #expect(bench.events.count == 2)
    }

    @Test("A handle may be cancelled from any thread")
    func cancelElsewhere() async throws {
        let numbers = bench.numbers()
        let load = numbers.load()
        try await onThread { load.cancel() }
        #expect(await load.result.reason == .cancelled)
        #expect(!numbers.isLoading)
    }

    @Test("Cancelling an await ends only that await")
    func cancelAwait() async throws {
        let numbers = bench.numbers()
        let load = numbers.load()
        let waiting = Event()
        let impatient = Task {
            waiting.happen()
            return await load.result
        }
        await waiting.wait()
        impatient.cancel()
        #expect(await impatient.value.reason == .cancelled)
        #expect(numbers.isLoading)
        await bench.answer(1, "[1]")
        #expect(try await load.value == [1])
    }

    @Test("A retry that is cancelled leaves the error that it was to mend", arguments: [1, 2])
    func cancelledRetry(count: Int) async {
        let numbers = bench.numbers()
        let load = numbers.load()
        await bench.answer(1, "", status: 500)
        _ = await load.result
        let timestamp = numbers.timestamp
        bench.clock.advance(by: .seconds(5))
        for _ in 1..<count { numbers.load() }
        let retry = numbers.load()
        #expect(numbers.latestError == nil)
        retry.cancel()
        #expect(
            numbers.latestError?.statusCode == 500 && numbers.timestamp == timestamp && !numbers.isUpToDate)
        let reload = numbers.load()
        await bench.answer(count + 2, "[1]")
        _ = await reload.result
        numbers.load().cancel()
        #expect(numbers.latestError == nil && numbers.state == .loaded([1]))
    }

    @Test("wipe forgets all and cancels the load, whose handle ends cancelled")
    func wipe() async {
        let numbers = bench.numbers()
        numbers.override(content: [9])
        let load = numbers.load()
        let exchange = await bench.exchange(1)
        numbers.wipe()
        #expect(numbers.state == .empty && numbers.timestamp == nil && !numbers.isUpToDate)
        #expect(await load.result.reason == .cancelled)
        exchange.answer("[1]")
        let next = numbers.load()
        await bench.answer(2, "[2]")
        _ = await next.result
        #expect(numbers.latestContent == [2])
        #expect(
            bench.events == [
                .newData(.localOverride), .requested, .newData(.wipe), .requested, .newData(.network),
            ])
    }

    @Test("cancelLoadIfUnobserved cancels only if nobody observes it by then")
    func unobserved() async {
        let resource = bench.store.resource("/numbers", as: [Int].self)
        var owner: Bench? = Bench()
        if let owner { resource.addObserver(owner: owner) { _, _, _ in } }
        let load = resource.load()
        resource.cancelLoadIfUnobserved()
        #expect(resource.isLoading)
        resource.cancelLoadIfUnobserved(after: .seconds(5))
        owner = nil
        bench.clock.advance(by: .seconds(4))
        #expect(resource.isLoading)
        bench.clock.advance(by: .seconds(1))
        #expect(!resource.isLoading)
        #expect(await load.result.reason == .cancelled)
        resource.load()
        resource.cancelLoadIfUnobserved()
        #expect(!resource.isLoading)
    }

    @Test("cancelLoadIfUnobserved leaves a load alone that is awaited, until the await is cancelled")
    func awaited() async {
        let resource = bench.store.resource("/numbers", as: [Int].self)
        let load = resource.load()
        let waiting = Task { await load.result }
        await until { load.isAwaited }
        resource.cancelLoadIfUnobserved()
        #expect(resource.isLoading)
        waiting.cancel()
        #expect(await waiting.value.reason == .cancelled)
        resource.cancelLoadIfUnobserved()
        #expect(!resource.isLoading)
        resource.load().onEnd { _ in }
        resource.cancelLoadIfUnobserved()
        #expect(resource.isLoading)
    }

    @Test("cancelLoadIfUnobserved leaves a later load alone")
    func laterLoad() async {
        let resource = bench.store.resource("/numbers", as: [Int].self)
        resource.load()
        resource.cancelLoadIfUnobserved(after: .seconds(5))
        resource.load()
        bench.clock.advance(by: .seconds(5))
        #expect(resource.isLoading)
    }

    @Test("cancelLoadIfUnobserved lets a write go on whose answer is to be taken")
    func unobservedWrite() async {
        let resource = bench.store.resource("/numbers", as: [Int].self)
        let patch = resource.request(.PATCH)
        let load = resource.load(using: patch)
        resource.cancelLoadIfUnobserved()
        #expect(!resource.isLoading && patch.state == .running)
        #expect(await load.result.reason == .cancelled)
    }
}
