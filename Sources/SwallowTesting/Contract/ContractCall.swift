import Foundation
import Swallow

final class ContractCall: Sendable {
    struct Completion: Sendable, CustomStringConvertible {
        let data: Data?
        let response: HTTPURLResponse?
        let error: (any Error)?

        var text: String { String(decoding: data ?? Data(), as: UTF8.self) }
        var isCancelled: Bool { (error as? URLError)?.code == .cancelled && data == nil }

        var description: String {
            if let error { return "the error \(error)" }
            let size = data.map { "\($0.count) bytes" } ?? "no data"
            return response.map { "status \($0.statusCode) and \(size)" } ?? "\(size) and no HTTPURLResponse"
        }
    }

    fileprivate struct State: Sendable {
        var completions: [Completion] = []
        var head: HTTPURLResponse?
        var streamed = Data()
        var partCount = 0
        var isReceiving = false
        /// The threads that are calling a function of the task. A thread appears once for each call.
        var callers: [ObjectIdentifier] = []
        var violations: [String] = []
        var isCancelled = false
    }

    let task: any DataTask
    let completed: Tally
    /// The number of received bytes. The head counts as one byte, so that a case can wait for it.
    let received = Tally()
    private let state: Lock<State>
    private let limit: Duration
    private let onPart: @Sendable (ContractCall) -> Void

    init(
        _ request: URLRequest, _ source: any SessionDataTaskDataSource, limit: Duration,
        onPart: @escaping @Sendable (ContractCall) -> Void
    ) {
        let (state, completed) = (Lock(State()), Tally())
        (self.state, self.completed) = (state, completed)
        (self.limit, self.onPart) = (limit, onPart)
        task = source.dataTask(with: request) { data, response, error in
            let completion = Completion(data: data, response: response as? HTTPURLResponse, error: error)
            state.withLock { state in
                if state.isReceiving {
                    state.violations.append("the completion was called during a call of the receiver")
                }
                state.completions.append(completion)
            }
            completed.add()
        }
    }

    var completions: [Completion] { state.withLock { $0.completions } }
    var head: HTTPURLResponse? { state.withLock { $0.head } }
    var partCount: Int { state.withLock { $0.partCount } }
    var violations: [String] { state.withLock { $0.violations } }
    var isCancelled: Bool { state.withLock { $0.isCancelled } }
    var streamed: Data { state.withLock { $0.streamed } }
    var body: Data { state.withLock { $0.streamed + ($0.completions.first?.data ?? Data()) } }
}

extension ContractCall {
    func resume() async throws { try await callOnNewThread("resume()") { $0.resumeOnThisThread() } }
    func suspend() async throws { try await callOnNewThread("suspend()") { $0.suspendOnThisThread() } }
    func cancel() async throws { try await callOnNewThread("cancel()") { $0.cancelOnThisThread() } }

    func resumed() async throws -> Self {
        try await resume()
        return self
    }

    @discardableResult
    func streaming() async throws -> Self {
        try await stream { [weak self] in self?.receive($0) }
        return self
    }

    func stream(to receiver: @escaping @Sendable (ResponsePart) -> Void) async throws {
        try await callOnNewThread("stream(to:)") { $0.call { $0.stream(to: receiver) } }
    }

    func streamOnThisThread() {
        call { task in task.stream { [weak self] in self?.receive($0) } }
    }

    private func callOnNewThread(
        _ name: String, _ function: @escaping @Sendable (ContractCall) -> Void
    ) async throws {
        try await onNewThread(name, within: limit) { function(self) }
    }

    func resumeOnThisThread() { call { $0.resume() } }
    func suspendOnThisThread() { call { $0.suspend() } }

    func cancelOnThisThread() {
        state.withLock { $0.isCancelled = true }
        call { $0.cancel() }
    }

    private func call(_ function: (any DataTask) -> Void) {
        let caller = ObjectIdentifier(Thread.current)
        state.withLock { $0.callers.append(caller) }
        function(task)
        state.withLock { state in
            if let index = state.callers.lastIndex(of: caller) { state.callers.remove(at: index) }
        }
    }

    private func receive(_ part: ResponsePart) {
        let count = state.withLock { $0.begin(part, on: ObjectIdentifier(Thread.current)) }
        onPart(self)
        state.withLock { $0.isReceiving = false }
        received.add(count)
    }
}

extension ContractCall.State {
    fileprivate mutating func begin(_ part: ResponsePart, on thread: ObjectIdentifier) -> Int {
        if isReceiving { violations.append("two calls of the receiver overlapped") }
        if !completions.isEmpty { violations.append("the receiver was called after the completion") }
        if callers.contains(thread) {
            violations.append("the receiver was called inside a function of the task")
        }
        isReceiving = true
        partCount += 1
        switch part {
        case .head(let head):
            if partCount > 1 { violations.append("a head followed another part") }
            self.head = head
            return 1
        case .bytes(let bytes):
            if head == nil { violations.append("bytes were delivered before the head") }
            streamed += bytes
            return bytes.count
        }
    }
}
