import Foundation
import Observation
import Swallow
import SwallowResources
import SwallowTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A change of a resource")
@MainActor
struct ResourceChangeTests {
    private let bench = Bench()

    /// Returns a resource that has loaded data from the server.
    private func loaded(_ body: String = "[1]") async -> Resource<[Int]> {
        let numbers = bench.store.resource("/numbers", as: [Int].self)
        let load = numbers.load()
        await bench.answer(1, body)
        _ = await load.result
        return numbers
    }

    /// Appends a number to the content, and sends the change to the server.
    @discardableResult
    private func append(_ number: Int, to numbers: Resource<[Int]>, _ mutation: Mutation = Mutation())
        -> Mutation
    {
        numbers.change({ $0.append(number) }, tracking: mutation) { numbers in
            numbers.request(.PATCH, parameters: ["append": number])
        }
    }

    private func answer(_ number: Int, _ body: String, status: Int = 200, until mutation: Mutation) async {
        await bench.answer(number, body, status: status)
        await until { !mutation.state.isPending }
    }

    @Test("It is shown immediately, and replaced with the server's response")
    func success() async {
        let numbers = await loaded()
        let change = append(2, to: numbers)
        #expect(numbers.latestContent == [1, 2] && numbers.pendingChanges.first === change)
        #expect(change.state.isPending)
        await answer(2, "[1, 2, 3]", until: change)
        #expect(numbers.latestContent == [1, 2, 3] && numbers.pendingChanges.isEmpty)
        if case .succeeded = change.state {} else { Issue.record("\(change.state)") }
        #expect(numbers.isUpToDate && bench.requestCount == 2)
    }

    @Test("After a failure, only this change is undone, and the others are sent in order")
    func failure() async {
        let numbers = await loaded()
        let changes = [2, 3, 4].map { append($0, to: numbers) }
        #expect(numbers.latestContent == [1, 2, 3, 4] && numbers.pendingChanges.count == 3)
        _ = await bench.exchange(2)
        #expect(bench.requestCount == 2)
        await answer(2, "[1, 2]", until: changes[0])
        #expect(numbers.latestContent == [1, 2, 3, 4])
        await answer(3, "", status: 500, until: changes[1])
        #expect(numbers.latestContent == [1, 2, 4] && changes[1].state.error?.isServerError == true)
        #expect(changes[2].state.isPending && numbers.pendingChanges.first === changes[2])
        await answer(4, "[1, 2, 4]", until: changes[2])
        #expect(numbers.latestContent == [1, 2, 4] && numbers.latestError == nil)
        let sent = bench.source.exchanges.values.dropFirst().map { exchange in
            String(decoding: exchange.request.httpBody ?? Data(), as: UTF8.self)
        }
        #expect(sent.map { $0.filter(\.isNumber) } == ["2", "3", "4"])
    }

    @Test("Data that arrives while it is pending stays after a failure, and has the change until then")
    func newerData() async {
        let numbers = await loaded()
        let change = append(2, to: numbers)
        let load = numbers.load()
        await bench.answer(3, "[7, 8]")
        _ = await load.result
        #expect(numbers.latestContent == [7, 8, 2])
        await answer(2, "", status: 409, until: change)
        #expect(numbers.latestContent == [7, 8])
    }

    @Test("A load that began before the response doesn't overwrite it")
    func olderLoad() async throws {
        let numbers = await loaded()
        let change = append(2, to: numbers)
        let load = numbers.load()
        _ = await bench.exchange(3)
        await answer(2, "[1, 2]", until: change)
        #expect(try await load.value == [1, 2])
        await bench.answer(3, "[1]")
        #expect(numbers.latestContent == [1, 2] && !numbers.isLoading)
    }

    @Test(
        "If the response isn't content, the change stays, and an observed resource is loaded",
        arguments: [204, 200])
    func withoutContent(status: Int) async {
        let numbers = await loaded()
        let body = status == 200 ? #"{"ok": true}"# : ""
        await answer(2, body, status: status, until: append(2, to: numbers))
        #expect(numbers.latestContent == [1, 2] && !numbers.isUpToDate && !numbers.isLoading)
        numbers.addObserver(owner: bench) { _, _, _ in }
        await answer(3, body, status: status, until: append(3, to: numbers))
        #expect(numbers.latestContent == [1, 2, 3] && numbers.isLoading)
        await bench.answer(4, "[1, 2, 3, 4]")
        await until { !numbers.isLoading }
        #expect(numbers.latestContent == [1, 2, 3, 4])
    }

    @Test("A response without content accepts it, even if the resource's type permits empty content")
    func emptyContent() async {
        let note = bench.store.resource("/note", as: Data.self)
        let load = note.load()
        await bench.answer(1, "a")
        _ = await load.result
        let change = note.change({ $0.append(contentsOf: Data("b".utf8)) }) { $0.request(.PATCH) }
        await answer(2, "", status: 204, until: change)
        #expect(note.latestContent == Data("ab".utf8))
    }

    @Test("Before any data, it is sent, and shown with the first data")
    func noData() async {
        let numbers = bench.store.resource("/numbers", as: [Int].self)
        let change = append(2, to: numbers)
        #expect(numbers.latestContent == nil && !numbers.hasContent)
        let load = numbers.load()
        await bench.answer(2, "[1]")
        _ = await load.result
        #expect(numbers.latestContent == [1, 2])
        await answer(1, "", status: 500, until: change)
        #expect(numbers.latestContent == [1])
    }

    @Test("A wipe cancels the pending changes, and sends none of them")
    func wipe() async {
        let numbers = await loaded()
        let changes = [2, 3].map { append($0, to: numbers) }
        let sent = await bench.exchange(2)
        bench.store.wipe()
        #expect(numbers.latestContent == nil && numbers.pendingChanges.isEmpty)
        for change in changes {
            if case .idle = change.state {} else { Issue.record("\(change.state)") }
        }
        #expect(sent.calls.values.contains(.cancel) && bench.requestCount == 2)
    }

    @Test("An override stays below the pending changes, and survives their failure")
    func override() async {
        let numbers = await loaded()
        let change = append(2, to: numbers)
        numbers.override(content: [9])
        #expect(numbers.latestContent == [9, 2])
        await answer(2, "", status: 500, until: change)
        #expect(numbers.latestContent == [9])
    }

    @Test("A 304 confirms the server's data below the pending changes")
    func notModified() async {
        let numbers = bench.store.resource("/numbers", as: [Int].self)
        var load = numbers.load()
        await bench.answer(1, "[1]", headers: ["ETag": #""a""#])
        _ = await load.result
        let change = append(2, to: numbers)
        _ = await bench.exchange(2)
        load = numbers.load()
        #expect(await bench.exchange(3).request.value(forHTTPHeaderField: "If-None-Match") == #""a""#)
        await bench.answer(3, "", status: 304)
        _ = await load.result
        #expect(numbers.latestContent == [1, 2])
        await answer(2, "", status: 500, until: change)
        #expect(numbers.latestContent == [1])
    }

    @Test("Observers and Observation see each step")
    func observation() async {
        let numbers = await loaded()
        _ = bench.numbers()
        let changed = Recorder<String>()
        withObservationTracking {
            _ = (numbers.pendingChanges, numbers.latestContent)
        } onChange: {
            changed.append("changed")
        }
        let change = append(2, to: numbers)
        #expect(changed.values == ["changed"])
        await answer(2, "[5]", until: change)
        #expect(bench.events == [.newData(.localOverride), .newData(.network)])
    }
}

@Suite("A mutation")
@MainActor
struct MutationTests {
    private let bench = Bench()

    private func run(_ mutation: Mutation) {
        mutation.run { bench.store.service.POST("/orders") }
    }

    private func name(_ state: Mutation.State) -> String {
        switch state {
        case .idle: "idle"
        case .pending: "pending"
        case .succeeded: "succeeded"
        case .failed: "failed"
        }
    }

    @Test("It is idle, then pending, then succeeded or failed", arguments: [201, 500])
    func states(status: Int) async {
        let mutation = Mutation()
        #expect(name(mutation.state) == "idle")
        mutation.retry()
        #expect(name(mutation.state) == "idle")
        run(mutation)
        #expect(name(mutation.state) == "pending" && mutation.state.isPending)
        await bench.answer(1, "{}", status: status)
        await until { !mutation.state.isPending }
        #expect(name(mutation.state) == (status == 201 ? "succeeded" : "failed"))
        #expect(mutation.state.error?.statusCode == (status == 201 ? nil : 500))
    }

    @Test("A retry sends a failed request again, and nothing after a success")
    func retry() async {
        let mutation = Mutation()
        run(mutation)
        await bench.answer(1, "", status: 500)
        await until { !mutation.state.isPending }
        mutation.retry()
        #expect(mutation.state.isPending)
        await bench.answer(2, "{}", status: 200)
        await until { !mutation.state.isPending }
        mutation.retry()
        #expect(name(mutation.state) == "succeeded" && bench.requestCount == 2)
    }

    @Test("A retry of a change shows and sends it again")
    func retryChange() async {
        let numbers = bench.store.resource("/numbers", as: [Int].self)
        numbers.override(content: [1])
        let change = numbers.change({ $0.append(2) }) { $0.request(.PATCH) }
        await bench.answer(1, "", status: 500)
        await until { !change.state.isPending }
        #expect(numbers.latestContent == [1])
        change.retry()
        #expect(numbers.latestContent == [1, 2] && numbers.pendingChanges.first === change)
        await bench.answer(2, "[3]")
        await until { !change.state.isPending }
        #expect(numbers.latestContent == [3])
    }

    @Test("A cancelled request makes it idle")
    func cancelled() async {
        let mutation = Mutation()
        var task: ServiceTask?
        mutation.run {
            let started = bench.store.service.POST("/orders")
            task = started
            return started
        }
        task?.cancel()
        await until { !mutation.state.isPending }
        #expect(name(mutation.state) == "idle")
    }

    @Test("Its state is that of the latest request")
    func latest() async {
        let mutation = Mutation()
        run(mutation)
        run(mutation)
        await bench.answer(1, "", status: 500)
        await bench.answer(2, "{}")
        await until { !mutation.state.isPending }
        #expect(name(mutation.state) == "succeeded")
    }

    @Test("A test can wait for its latest request")
    func finished() async throws {
        let mutation = Mutation()
        try await mutation.finished()
        run(mutation)
        let early = Task { try await mutation.finished() }
        await Task.yield()
        run(mutation)
        await bench.answer(1, "", status: 500)
        await bench.answer(2, "{}")
        try await early.value
        #expect(name(mutation.state) == "succeeded")
        run(mutation)
        await bench.answer(3, "", status: 500)
        let error = await #expect(throws: ServiceError.self) { try await mutation.finished() }
        #expect(error?.statusCode == 500 && mutation.state.error != nil)
    }

    @Test("A test that waits for a pending request can be cancelled")
    func cancelledWait() async {
        let mutation = Mutation()
        run(mutation)
        let wait = Task { try await mutation.finished() }
        wait.cancel()
        let error = await #expect(throws: ServiceError.self) { try await wait.value }
        #expect(error?.isCancelled == true && mutation.state.isPending)
    }

    @Test("It releases what its request captures after a success")
    func release() async {
        final class Owner {}
        weak var weakOwner: Owner?
        let mutation = Mutation()
        do {
            let owner = Owner()
            weakOwner = owner
            mutation.run { withExtendedLifetime(owner) { bench.store.service.POST("/orders") } }
        }
        #expect(weakOwner != nil)
        await bench.answer(1, "{}")
        await until { !mutation.state.isPending }
        #expect(weakOwner == nil)
    }
}
