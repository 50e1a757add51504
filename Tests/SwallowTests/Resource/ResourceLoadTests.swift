import Foundation
import SwallowTesting
import TestSupport
import Testing

@testable import Swallow

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

    @Test("onEnd gets the outcome after the observers, once, and late too; never inside the call")
    func onEnd() async {
        let numbers = bench.numbers()
        var log: [String] = []
        numbers.addObserver(owner: bench) { _, _, event in log.append("\(event)") }
        log = []
        let load = numbers.load().onEnd { log.append("end \($0.value ?? [])") }
        await bench.answer(1, "[1]")
        _ = await load.result
        #expect(log == ["requested", "newData(Swallow.ResourceEvent.Source.network)", "end [1]"])
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
        let mending = numbers.load()
        await bench.answer(count + 2, "[1]")
        _ = await mending.result
        numbers.load().cancel()
        #expect(numbers.latestError == nil && numbers.state == .loaded([1]))
    }

    @Test("override puts the app's data in place, up to date, and a load sent before never replaces it")
    func override() async throws {
        let numbers = bench.numbers()
        let load = numbers.load()
        let exchange = await bench.exchange(1)
        numbers.override(content: [9])
        #expect(numbers.latestContent == [9] && numbers.isUpToDate && !numbers.isLoading)
        #expect(numbers.timestamp == bench.clock.now)
        #expect(bench.events == [.requested, .newData(.localOverride)])
        exchange.answer("[1]")
        #expect(try await load.value == [9])
        await DispatchQueue.main.drained()
        #expect(numbers.latestContent == [9] && bench.events.count == 2)
        let failing = numbers.load()
        await bench.answer(2, "", status: 500)
        _ = await failing.result
        numbers.override(Entity(content: [3], timestamp: bench.clock.now))
        #expect(numbers.latestError == nil && numbers.state == .loaded([3]))
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

    @Test("cancelLoadIfUnobserved lets a write go on whose answer is to be taken")
    func unobservedWrite() async {
        let resource = bench.store.resource("/numbers", as: [Int].self)
        let patch = resource.request(.PATCH)
        let load = resource.load(using: patch)
        resource.cancelLoadIfUnobserved()
        #expect(!resource.isLoading && patch.state == .running)
        #expect(await load.result.reason == .cancelled)
    }

    @Test("A load by a write that is answered without content asks for it", arguments: [204, 205])
    func withoutContent(status: Int) async throws {
        let numbers = bench.numbers()
        let load = numbers.load(using: numbers.request(.PATCH))
        await bench.answer(1, "", status: status)
        #expect(await bench.exchange(2).request.httpMethod == "GET")
        #expect(numbers.isLoading)
        await bench.answer(2, "[1, 3]")
        #expect(try await load.value == [1, 3])
        #expect(numbers.latestContent == [1, 3] && numbers.isUpToDate && bench.requestCount == 2)
        #expect(bench.events == [.requested, .newData(.network)])
    }

    @Test("A write whose 204 is not acceptable fails the load")
    func refusedWithoutContent() async {
        let numbers = bench.numbers()
        let load = numbers.load(using: numbers.request(.PATCH, options: [.acceptStatusCodes([200])]))
        await bench.answer(1, "", status: 204)
        #expect(await load.result.reason == .unacceptableStatus)
        #expect(bench.requestCount == 1)
    }

    @Test("An override while a write's answer is awaited stays until the resource is loaded again")
    func overrideDuringWrite() async throws {
        let numbers = bench.numbers()
        let patch = numbers.request(.PATCH)
        let load = numbers.load(using: patch)
        numbers.override(content: [9])
        #expect(try await load.value == [9])
        await bench.answer(1, "[1]")
        await bench.answer(2, "[2]")
        await until { !numbers.isLoading }
        #expect(numbers.latestContent == [2])
        #expect(!bench.events.contains(.requestCancelled))
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

    @Test("A load goes by a task's answer")
    func usingTask() async throws {
        let numbers = bench.numbers()
        let patch = numbers.request(.PATCH, parameters: ["add": 3])
        let load = numbers.load(using: patch)
        #expect(numbers.isLoading && bench.events == [.requested])
        await bench.answer(1, "[1, 3]")
        #expect(try await load.value == [1, 3])
        #expect(numbers.latestContent == [1, 3] && numbers.isUpToDate)
        #expect(bench.requestCount == 1, "the write whose answer it takes has it load again")
    }

    @Test("A load that replaces a write's leaves the write running; its handle cancels it")
    func replacedTask() async {
        let numbers = bench.numbers()
        let patch = numbers.request(.PATCH)
        let load = numbers.load(using: patch)
        numbers.load()
        #expect(await load.result.reason == .cancelled)
        #expect(patch.state == .running)
        let other = numbers.request(.PATCH)
        numbers.load(using: other).cancel()
        #expect(other.state == .completed && !numbers.isLoading)
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
