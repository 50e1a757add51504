import Foundation
import Swallow

struct ContractViolation: Error {
    let observation: String
}

struct ContractRun: Sendable {
    let dataSource: any SessionDataTaskDataSource
    let routes: ContractRoutes
    private let baseURLString: String
    let limit: Duration
    private let calls = Lock<[ContractCall]>([])

    init(
        _ dataSource: any SessionDataTaskDataSource, _ routes: ContractRoutes, baseURLString: String,
        limit: Duration
    ) {
        (self.dataSource, self.routes, self.baseURLString) = (dataSource, routes, baseURLString)
        self.limit = limit
    }

    func request(_ path: String, _ method: String = "GET", body: String? = nil) -> URLRequest {
        var request = URLRequest(url: URL(string: baseURLString + path) ?? URL(filePath: path))
        request.httpMethod = method
        request.httpBody = body.map { Data($0.utf8) }
        request.cachePolicy = .reloadIgnoringLocalCacheData
        // A response may be held as long as the case runs, so requests must not time out.
        request.timeoutInterval = 1_000_000
        return request
    }

    func call(
        _ path: String, onPart: @escaping @Sendable (ContractCall) -> Void = { _ in }
    ) async throws -> ContractCall {
        try await call(request(path), onPart: onPart)
    }

    func call(
        _ request: URLRequest, onPart: @escaping @Sendable (ContractCall) -> Void = { _ in }
    ) async throws -> ContractCall {
        let call = try await onNewThread("dataTask(with:completion:)", within: limit) {
            ContractCall(request, dataSource, limit: limit, onPart: onPart)
        }
        calls.withLock { $0.append(call) }
        return call
    }

    func calls(_ count: Int, _ path: (Int) -> String) async throws -> [ContractCall] {
        var calls: [ContractCall] = []
        for number in 0..<count { calls.append(try await call(path(number))) }
        return calls
    }

    /// Sends five other requests and waits for their responses, so that the data source has time to make pending calls.
    func settle() async throws {
        for _ in 0..<5 {
            _ = try await completion(of: call("/small").resumed(), "another request")
        }
    }

    func completion(
        of call: ContractCall, _ name: String = "the request"
    ) async throws -> ContractCall.Completion {
        try await wait(
            for: call.completed, 1,
            otherwise: (call.isCancelled ? "after cancel(), the task" : name) + " didn't complete")
        return call.completions[0]
    }

    func arrival() async throws {
        try await wait(for: routes.arrivals, 1, otherwise: "the request wasn't sent")
    }

    func wait(
        for tally: Tally, _ count: Int, otherwise observation: @autoclosure @escaping @Sendable () -> String
    ) async throws {
        try await tally.reach(count, within: limit) {
            ContractViolation(observation: "\(observation()) within \(limit)")
        }
    }

    func expect(_ condition: Bool, _ observation: @autoclosure () -> String) throws {
        if !condition { throw ContractViolation(observation: observation()) }
    }

    @discardableResult
    func expectCompletion(
        of call: ContractCall, where isExpected: (ContractCall.Completion) -> Bool
    ) async throws -> ContractCall.Completion {
        let completion = try await completion(of: call)
        try expect(isExpected(completion), "the task completed with \(completion)")
        return completion
    }

    func expectCancelled(_ call: ContractCall) async throws {
        let completion = try await completion(of: call)
        try expect(completion.isCancelled, "the cancelled task completed with \(completion)")
    }

    func expectOneCompletion(_ call: ContractCall) throws {
        let count = call.completions.count
        try expect(count == 1, "the completion was called \(count) times")
    }

    func deliversParts() async throws -> Bool {
        let call = try await call("/parts").streaming().resumed()
        _ = try await completion(of: call)
        return call.partCount > 0
    }

    func finish() {
        let calls = calls.withLock { $0 }.filter { $0.completions.isEmpty }
        // A call of cancel() may never return.
        if !calls.isEmpty { Thread.detachNewThread { for call in calls { call.task.cancel() } } }
        routes.openGates()
    }
}

/// Calls a function on a new thread, because it may never return. The thread is then leaked.
func onNewThread<Value: Sendable>(
    _ name: String, within limit: Duration, _ function: @escaping @Sendable () -> Value
) async throws -> Value {
    let (returned, value) = (Tally(), Lock<Value?>(nil))
    Thread.detachNewThread {
        let result = function()
        value.withLock { $0 = result }
        returned.add()
    }
    let failure = ContractViolation(observation: "\(name) didn't return within \(limit)")
    try await returned.reach(1, within: limit) { failure }
    guard let value = value.withLock({ $0 }) else { throw failure }
    return value
}

struct Tally: Sendable {
    private struct State: AwaitedState {
        var count = 0
        var waiters: [UUID: Waiter<State>] = [:]
    }

    private let state = Lock(State())

    var count: Int { state.withLock { $0.count } }

    func add(_ amount: Int = 1) {
        state.update { $0.count += amount }
    }

    func reach(
        _ count: Int, within limit: Duration, otherwise failure: @escaping @Sendable () -> ContractViolation
    ) async throws {
        try await state.wait(within: limit, until: { $0.count >= count }, otherwise: { _ in failure() })
    }
}
