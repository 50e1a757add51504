import Foundation
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Coalescing from many threads")
struct CoalescingRaceTests {
    @Test("Tasks that are resumed concurrently share one request")
    func joins() async throws {
        let base = ManualDataSource()
        let source = CoalescingDataSource(base)
        let joiners = (0..<Sanitizer.rounds(2000, sanitized: 500)).map { _ in Call(source) }
        try await onThread {
            DispatchQueue.concurrentPerform(iterations: joiners.count) { joiners[$0].task.resume() }
        }
        #expect(base.exchanges.values.count == 1)
        await base.exchange.answer("1")
        #expect(joiners.allSatisfy { $0.texts == ["1"] })
        #expect(source.exchanges.isEmpty)
    }

    @Test(
        "If all tasks but one cancel concurrently, the request continues, and the last cancel cancels it once"
    )
    func cancels() async throws {
        let base = ManualDataSource()
        let source = CoalescingDataSource(base)
        let joiners = (0..<Sanitizer.rounds(2000, sanitized: 500)).map { _ in Call(source).resumed() }
        try await onThread {
            DispatchQueue.concurrentPerform(iterations: joiners.count - 1) { joiners[$0].task.cancel() }
        }
        let calls = await base.exchange.calls
        #expect(calls.values == [.resume])
        #expect(joiners.last?.texts == [])
        joiners.last?.task.cancel()
        #expect(calls.values == [.resume, .cancel])
        #expect(joiners.allSatisfy { $0.outcomes.map(\.isCancelled) == [true] })
    }

    @Test(
        "If all tasks suspend and resume concurrently, the request ends in the same state as the tasks",
        arguments: [true, false])
    func suspends(endsSuspended: Bool) async throws {
        let base = ManualDataSource()
        let source = CoalescingDataSource(base)
        let joiners = (0..<Sanitizer.rounds(500, sanitized: 100)).map { _ in Call(source).resumed() }
        try await onThread {
            DispatchQueue.concurrentPerform(iterations: joiners.count) { index in
                for _ in 0..<5 {
                    joiners[index].task.suspend()
                    joiners[index].task.resume()
                }
                joiners[index].task.suspend()
                if !endsSuspended { joiners[index].task.resume() }
            }
        }
        let exchange = await base.exchange
        #expect(exchange.calls.values.last == (endsSuspended ? .suspend : .resume))
        exchange.answer("1")
        #expect(joiners.allSatisfy { $0.texts == (endsSuspended ? [] : ["1"]) })
        for joiner in joiners { joiner.task.resume() }
        #expect(joiners.allSatisfy { $0.texts == ["1"] })
        #expect(base.exchanges.values.count == 1)
    }

    @Test("If joins, suspends, resumes and cancels race the responses, each task completes once")
    func storm() async throws {
        let base = RacingDataSource()
        let source = CoalescingDataSource(base)
        for _ in 0..<Sanitizer.rounds(40, sanitized: 8) {
            try await Storm(over: source, paths: 2).expectEnds()
            _ = await base.ended.first(base.made.values.count)
            #expect(source.exchanges.isEmpty)
        }
    }

    @Test("A thousand service tasks share requests while every second task is cancelled")
    func serviceTasks() async throws {
        let base = RacingDataSource()
        let source = CoalescingDataSource(base)
        let service = WebService.test(source)
        let tasks = Recorder<(Int, ServiceTask)>()
        try await onThread {
            DispatchQueue.concurrentPerform(iterations: 1_000) { index in
                let task = service.GET("/a")
                if index % 2 == 0 { task.cancel() }
                tasks.append((index, task))
            }
        }
        for (index, task) in tasks.values where index % 2 == 1 {
            #expect((try? await task.data) == Data("ok".utf8))
        }
        for (_, task) in tasks.values { _ = await task.result }
        #expect(source.exchanges.isEmpty)
        #expect((1...1_000).contains(base.made.values.count))
    }
}
