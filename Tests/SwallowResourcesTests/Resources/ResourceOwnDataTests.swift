import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

@testable import SwallowResources

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A resource's data that the app has, or a write brings")
@MainActor
struct ResourceOwnDataTests {
    private let bench = Bench()

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
        let load = numbers.load(using: numbers.request(.PATCH, options: [.acceptableStatusCodes([200])]))
        await bench.answer(1, "", status: 204)
        #expect(await load.result.reason == .unacceptableStatus)
        #expect(bench.requestCount == 1)
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
}
