import Foundation
import Swallow
import SwallowResources
import TestSupport
import Testing

@Suite("A cancelled service future")
struct ServiceFutureCancelTests {
    private let source = ManualDataSource()
    private var users: Members { Members(service: .test(source)) }

    private static func cancelCurrentTask() {
        withUnsafeCurrentTask { $0?.cancel() }
    }

    @Test("sends nothing if it was cancelled before its start")
    func beforeStart() async {
        let calls = Recorder<Int>()
        let read = users.read(id: 7)
        let error = await Task {
            Self.cancelCurrentTask()
            return await ServiceFuture<Int> {
                calls.append(1)
                return 1
            }
            .andThen { _ in read }.failure
        }.value
        #expect(error?.isCancelled == true)
        #expect(source.exchanges.values.isEmpty)
        #expect(calls.values.isEmpty)
    }

    @Test("ends at once, and its request with it")
    func inFlight() async {
        let results = Recorder<Result<Member, ServiceError>>()
        let task = users.read(id: 7).start(.utility) { results.append($0) }
        let exchange = await source.exchange
        _ = await exchange.calls.first(1)
        task.cancel()
        await task.finished()
        #expect(await exchange.calls.first(2).last == .cancel)
        #expect(results.values.count == 1)
        #expect(throws: ServiceError.self) { try results.values.first?.get() }
        if case .failure(let error) = results.values.first { #expect(error.isCancelled) }
        exchange.answer(Member.json)
        #expect(results.values.count == 1)
    }

    @Test("ends its request also where the request has handlers of its own")
    func inFlightWithHandlers() async {
        let service = WebService.test(source)
        let future = service.future(as: Member.self) { $0.GET("/").response(.utility) { _, _ in } }
        let task = Task { await future.failure }
        let exchange = await source.exchange
        _ = await exchange.calls.first(1)
        task.cancel()
        #expect(await task.value?.isCancelled == true)
        #expect(await exchange.calls.first(2).last == .cancel)
    }

    @Test("runs no closure after a step in which it was cancelled")
    func betweenSteps() async {
        let steps = Recorder<String>()
        let future = ServiceFuture(value: 1)
            .map { value in
                steps.append("first")
                Self.cancelCurrentTask()
                return value
            }
            .map { value in
                steps.append("map")
                return value
            }
            .andThen { value in
                steps.append("andThen")
                return ServiceFuture(value: value)
            }
            .recover { (_: ServiceError) -> Int in
                steps.append("recover")
                return 2
            }
            .mapError { error in
                steps.append("mapError")
                return error
            }
        #expect(await Task { await future.failure }.value?.isCancelled == true)
        #expect(steps.values == ["first"])
    }

    @Test("does not give a value that came with the cancellation")
    func inLastStep() async {
        let future = ServiceFuture(value: 1).map { value in
            Self.cancelCurrentTask()
            return value
        }
        #expect(await Task { await future.failure }.value?.isCancelled == true)
    }

    @Test("ends the second request of two")
    func secondRequest() async {
        let users = users
        let task = Task { await users.read(id: 7).andThen { user in users.update(user) }.failure }
        await source.exchange.answer(Member.json)
        let second = await source.exchanges.first(2)[1]
        _ = await second.calls.first(1)
        task.cancel()
        #expect(await task.value?.isCancelled == true)
        #expect(await second.calls.first(2).last == .cancel)
    }

    @Test("hands no value to the main actor after a cancel there")
    @MainActor
    func beforeHandler() async {
        for _ in 0..<100 {
            let started = Recorder<StartedFuture>()
            var results: [Result<Int, ServiceError>] = []
            let task = ServiceFuture { () -> Int in
                let task = await started.first(1)[0]
                // The main actor receives this block before the handler, because the future doesn't have its value yet.
                DispatchQueue.main.async { task.cancel() }
                return 1
            }
            .start { results.append($0) }
            started.append(task)
            await task.finished()
            #expect(results.count == 1)
            #expect(throws: ServiceError.self) { try results.first?.get() }
        }
    }

    @Test("that has ended stays as it is")
    func afterEnd() async {
        let results = Recorder<Result<Int, ServiceError>>()
        let task = ServiceFuture(value: 1).start(.utility) { results.append($0) }
        await task.finished()
        task.cancel()
        #expect(results.values.count == 1)
        #expect(throws: Never.self) { try results.values.first?.get() }
    }

    @Test("goes through an operation as cancellation goes through Swift tasks")
    func operation() async {
        let hasBegun = Event()
        let future = ServiceFuture<Int> {
            hasBegun.happen()
            for await _ in AsyncStream<Never>.makeStream().stream {}
            try Task.checkCancellation()
            return 1
        }
        let task = Task { await future.failure }
        await hasBegun.wait()
        task.cancel()
        #expect(await task.value?.isCancelled == true)
    }

    @Test("ends once however the cancel meets the answer")
    func races() async {
        await withTaskGroup(of: Int.self) { group in
            for index in 0..<500 {
                group.addTask {
                    let source = ManualDataSource()
                    let results = Recorder<Bool>()
                    let users = Members(service: .test(source))
                    let task = users.read(id: 7).map(\.name).start(.utility) { result in
                        results.append((try? result.get()) == "Ada")
                    }
                    if index.isMultiple(of: 3) {
                        task.cancel()
                    } else {
                        let exchange = await source.exchange
                        Task { exchange.answer(Member.json) }
                        Task { task.cancel() }
                    }
                    await task.finished()
                    return results.values.count
                }
            }
            for await count in group { #expect(count == 1) }
        }
    }
}
