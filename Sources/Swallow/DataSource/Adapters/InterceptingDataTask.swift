import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A task whose request is in an interceptor's hands, and the calls that this makes to the base.
final class InterceptingDataTask: DataTask {
    typealias Interceptor = @Sendable (URLRequest, NextDataSource) async throws -> InterceptedResponse

    /// One request to the base, and who awaits it.
    private struct Call: Sendable {
        var transfer = TransferState()
        let caller: CheckedContinuation<Ending, Never>
    }

    private struct State: Sendable {
        var completion: Completion
        var wasStarted = false
        var isSuspended = false
        var hasEnded = false
        var interception: Task<Void, Never>?
        var calls: [Int: Call] = [:]
        var lastCall = 0

        /// Ends everything; returns what is to be let go of outside the lock.
        mutating func end() -> (Task<Void, Never>?, [Int: Call]) {
            hasEnded = true
            defer { calls = [:] }
            return (interception.take(), calls)
        }
    }

    private let request: URLRequest
    private let base: any SessionDataTaskDataSource
    private let interceptor: Interceptor
    private let state: Lock<State>

    init(
        _ request: URLRequest, _ base: any SessionDataTaskDataSource,
        _ interceptor: @escaping Interceptor,
        _ completion: @escaping Completion.Handler
    ) {
        self.request = request
        self.base = base
        self.interceptor = interceptor
        state = Lock(State(completion: Completion(completion)))
    }

    func resume() {
        let (completion, starts, calls) = state.withLock { state in
            let starts = !state.wasStarted && !state.hasEnded
            state.wasStarted = true
            state.isSuspended = false
            for id in state.calls.keys { _ = state.calls[id]?.transfer.resume() }
            return (state.completion.resume(), starts, Array(state.calls.keys))
        }
        if starts { start() }
        for id in calls { sendSignals(id) }
        completion?()
    }

    func suspend() {
        let calls = state.withLock { state in
            guard state.wasStarted else { return [Int]() }
            state.isSuspended = true
            state.completion.suspend()
            for id in state.calls.keys { state.calls[id]?.transfer.suspend() }
            return Array(state.calls.keys)
        }
        for id in calls { sendSignals(id) }
    }

    func cancel() {
        end { $0.fail(with: URLError(.cancelled)) }
    }

    private func start() {
        let interception = Task {
            let ending: Ending
            do {
                ending = try await interceptor(request, NextDataSource(task: self)).ending
            } catch let error as URLError {
                ending = .failure(error)
            } catch {
                ending = .failure(ServiceError(thrown: error, request: nil))
            }
            end { $0.end(with: ending) }
        }
        let isNeeded = state.withLock { state in
            if state.hasEnded { return false }
            state.interception = interception
            return true
        }
        if !isNeeded { interception.cancel() }
    }

    private func end(_ complete: (inout Completion) -> Completion.Call?) {
        let (completion, (interception, calls)) = state.withLock { (complete(&$0.completion), $0.end()) }
        completion?()
        interception?.cancel()
        for call in calls.values { abandon(call) }
    }
}

// MARK: - Calls to the base

extension InterceptingDataTask {
    /// Sends a request to the base, and waits for its end.
    func send(_ request: URLRequest) async -> Ending {
        let id = state.withLock { state in
            state.lastCall += 1
            return state.lastCall
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { caller in
                let begins = state.withLock { state in
                    if state.hasEnded { return false }
                    var call = Call(caller: caller)
                    _ = call.transfer.resume()
                    if state.isSuspended { call.transfer.suspend() }
                    state.calls[id] = call
                    return true
                }
                guard begins else { return caller.resume(returning: .failure(CancellationError())) }
                // Where the cancellation came before the call was there, its handler didn't find it.
                if Task.isCancelled { abandon(id) } else { begin(request, id) }
            }
        } onCancel: {
            abandon(id)
        }
    }

    private func begin(_ request: URLRequest, _ id: Int) {
        let receipt = Receipt(CallReceiver(task: self, id: id))
        let dataTask = base.dataTask(with: request) { receipt($0, $1, $2) }
        let isNeeded = state.withLock { $0.calls[id]?.transfer.begin(dataTask) ?? false }
        if isNeeded { sendSignals(id) } else { dataTask.cancel() }
    }

    private func sendSignals(_ id: Int) {
        TransferState.send { isSender in
            state.withLock { $0.calls[id]?.transfer.nextSignal(isSender: isSender) }
        }
    }

    private func abandon(_ id: Int) {
        if let call = state.withLock({ $0.calls.removeValue(forKey: id) }) { abandon(call) }
    }

    /// Cancels what a call that was taken out has sent. A signal that another thread is sending does nothing after that.
    private func abandon(_ call: Call) {
        var call = call
        call.caller.resume(returning: .failure(CancellationError()))
        _ = call.transfer.end(cancelling: true)
        TransferState.send { _ in call.transfer.nextSignal(isSender: true) }
    }

    /// Takes the end of a call.
    private struct CallReceiver: RequestSender {
        let task: InterceptingDataTask
        let id: Int

        func receive(_ ending: Ending) {
            let call = task.state.withLock { $0.calls.removeValue(forKey: id) }
            call?.caller.resume(returning: ending)
        }
    }
}
