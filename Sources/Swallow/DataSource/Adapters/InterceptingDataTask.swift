import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A task whose request goes through an interceptor, and the requests that the interceptor sends to the base.
final class InterceptingDataTask: DataTask {
    typealias Interceptor = @Sendable (URLRequest, NextDataSource) async throws -> InterceptedResponse

    private struct State: Sendable {
        var wasStarted = false
        var hasEnded = false
        /// Cancels the interceptor.
        var interception: ScheduledWork?
        var calls: [Int: InterceptedCall] = [:]
        var lastCall = 0
        /// The call whose body streams on to the task, and the head that the interceptor has returned with it.
        var returned: (call: Int, head: HTTPURLResponse)?
        var report: TransferReport?

        /// Ends everything; returns what the caller releases outside the lock.
        mutating func end() -> (ScheduledWork?, [InterceptedCall]) {
            hasEnded = true
            returned = nil
            defer { calls = [:] }
            return (interception.take(), Array(calls.values))
        }
    }

    private let request: URLRequest
    private let base: any SessionDataTaskDataSource
    private let interceptor: Interceptor
    private let limit: Int
    private let outbox: Outbox<State>

    /// - Parameter limit: how many bytes of a body that isn't streamed on are kept.
    init(
        _ request: URLRequest, _ base: any SessionDataTaskDataSource,
        _ interceptor: @escaping Interceptor,
        limit: Int = ResponseSize.standardLimit,
        _ completion: @escaping PartQueue.Completion
    ) {
        self.limit = limit
        self.request = request
        self.base = base
        self.interceptor = interceptor
        outbox = Outbox(State(), completion)
    }

    func resume() {
        let (starts, calls) = outbox.change(isOwnCall: true) { state, queue in
            let starts = !state.wasStarted && !state.hasEnded
            state.wasStarted = true
            queue.resume()
            for id in state.calls.keys { _ = state.calls[id]?.control.resume() }
            return (starts, Array(state.calls.keys))
        }
        if starts { start() }
        for id in calls { sendSignals(id) }
    }

    func suspend() {
        let calls = outbox.change { state, queue in
            guard state.wasStarted else { return [Int]() }
            queue.suspend()
            for id in state.calls.keys { state.calls[id]?.control.suspend() }
            return Array(state.calls.keys)
        }
        for id in calls { sendSignals(id) }
    }

    func cancel() {
        end { $0.fail(with: URLError(.cancelled)) }
    }

    func stream(to receiver: @escaping @Sendable (ResponsePart) -> Void) {
        outbox.change(isOwnCall: true) { state, queue in
            guard queue.stream(to: receiver), let (id, head) = state.returned else { return }
            queue.add(.head(head))
            queue.add(.bytes(state.calls[id]?.takeBody() ?? Data()))
        }
    }

    private func start() {
        let interception = Caller.startTask(for: SenderTerms.current.caller) { [self] in
            do {
                try await give(interceptor(request, NextDataSource(task: self)))
            } catch let error as URLError {
                end { $0.end(with: .failure(error)) }
            } catch {
                let error = ServiceError(thrown: error, request: nil)
                end { $0.end(with: .failure(error)) }
            }
        }
        outbox.change { state, _ in state.interception.keep(interception, if: !state.hasEnded) }
            .cancelIfUnneeded()
    }

    /// Takes what the interceptor has returned. A body that is still unread streams on.
    private func give(_ response: InterceptedResponse) async throws {
        if case .unread(let body) = response.body, body.task === self, forward(body.call, response.head) {
            return
        }
        let data = try await response.data
        // A response that the interceptor made itself followed no redirect.
        if outbox.withState({ state in state.lastCall == 0 }) { _ = SenderTerms.current.redirects?.take() }
        end { $0.end(with: Ending(data, response.head, nil)) }
    }

    private func end(_ complete: (inout PartQueue) -> Void) {
        let (interception, calls) = outbox.change { state, queue in
            complete(&queue)
            return state.end()
        }
        interception?.cancel()
        for call in calls { abandon(call) }
    }
}

// MARK: - Calls to the base

extension InterceptingDataTask {
    /// Sends a request to the base, and waits for its head, or for its end where the base doesn't stream.
    func send(_ request: URLRequest) async throws -> InterceptedResponse {
        let id = outbox.change { state, _ in
            state.lastCall += 1
            return state.lastCall
        }
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { caller in
                let begins = outbox.change { state, queue in
                    if state.hasEnded { return false }
                    var call = InterceptedCall(caller, limit: limit)
                    _ = call.control.resume()
                    if queue.isSuspended { call.control.suspend() }
                    state.calls[id] = call
                    return true
                }
                guard begins else { return caller.resume(returning: .end(.failure(CancellationError()))) }
                // A cancellation that came before the call was added found nothing to abandon.
                if Task.isCancelled { abandon(id) } else { begin(request, id) }
            }
        } onCancel: {
            abandon(id)
        }
        switch answer {
        case .head(let head): return InterceptedResponse(head, unread: InterceptedBody(task: self, call: id))
        case .end(let ending): return try InterceptedResponse(ending)
        }
    }

    /// Reads the body of a call to its end.
    func read(_ id: Int) async throws -> Data {
        let ending = await withTaskCancellationHandler {
            await withCheckedContinuation { reader in
                let known = outbox.change { state, _ -> Ending? in
                    guard state.calls[id] != nil else { return .failure(CancellationError()) }
                    return state.calls[id]?.read(reader)
                }
                if let known { reader.resume(returning: known) } else { sendSignals(id) }
            }
        } onCancel: {
            abandon(id)
        }
        if let error = ending.error { throw error }
        return ending.data ?? Data()
    }

    /// Cancels a call whose body was released, unless the body was returned to the task.
    func drop(_ id: Int) {
        let call = outbox.change { state, _ in
            state.returned?.call == id ? nil : state.calls.removeValue(forKey: id)
        }
        if let call { abandon(call) }
    }

    /// Streams a call's body on to the task, and cancels the other calls; false if there is no such call.
    private func forward(_ id: Int, _ head: HTTPURLResponse) -> Bool {
        let (isThere, others) = outbox.change { state, queue -> (Bool, [InterceptedCall]) in
            guard !state.hasEnded, state.calls[id] != nil else { return (state.hasEnded, []) }
            state.returned = (id, head)
            let others = state.calls.filter { $0.key != id }.map(\.value)
            state.calls = state.calls.filter { $0.key == id }
            state.calls[id]?.control.hold(false)
            if queue.isStreamed {
                queue.add(.head(head))
                queue.add(.bytes(state.calls[id]?.takeBody() ?? Data()))
            }
            return (true, others)
        }
        for call in others { abandon(call) }
        guard isThere else { return false }
        if let ending = outbox.withState({ state in state.calls[id]?.ending }) {
            receive(ending, id)
        } else {
            sendSignals(id)
        }
        return true
    }

    private func begin(_ request: URLRequest, _ id: Int) {
        let receipt = Receipt(CallReceiver(task: self, id: id))
        let dataTask = base.dataTask(with: request) { receipt($0, $1, $2) }
        let isNeeded = outbox.change { state, _ in state.calls[id]?.control.begin(dataTask) ?? false }
        guard isNeeded else { return dataTask.cancel() }
        dataTask.stream { self.receive($0, id) }
        sendSignals(id)
    }

    private func receive(_ part: ResponsePart, _ id: Int) {
        let (answers, isTooLarge) = outbox.change { state, queue -> (InterceptedCall.Answers, Bool) in
            if state.returned?.call == id, queue.isStreamed {
                queue.add(part)
                return (.init(), false)
            }
            let answers = state.calls[id]?.receive(part) ?? .init()
            return (answers, state.calls[id]?.isTooLarge == true)
        }
        sendSignals(id)
        answers.give()
        if isTooLarge { refuse(id, ResponseSize.error(over: limit, url: request.url)) }
    }

    private func receive(_ ending: Ending, _ id: Int) {
        let report = outbox.withState { state in state.calls[id]?.control.current }.map { TransferReport($0) }
        let (answers, call, last) = outbox.change {
            state, _ -> (InterceptedCall.Answers, InterceptedCall?, Ending?) in
            if state.returned.map({ $0.call == id }) ?? true { state.report = report ?? state.report }
            let answers = state.calls[id]?.receive(ending) ?? .init()
            guard let (returned, head) = state.returned, returned == id else {
                return (answers, answers.isLast ? state.calls.removeValue(forKey: id) : nil, nil)
            }
            var call = state.calls.removeValue(forKey: id)
            if let error = ending.error { return (answers, call, .failure(error)) }
            return (answers, call, Ending(call?.takeBody() ?? Data(), head, nil))
        }
        answers.give()
        withExtendedLifetime(call) { if let last { end { $0.end(with: last) } } }
    }

    /// Ends a call, and the task if it has the call's body.
    private func refuse(_ id: Int, _ error: any Error) {
        let (call, isReturned) = outbox.change { state, _ in
            (state.calls.removeValue(forKey: id), state.returned?.call == id)
        }
        if let call { abandon(call, with: error) }
        if isReturned { end { $0.end(with: .failure(error)) } }
    }

    private func sendSignals(_ id: Int) {
        CarrierControl.send { isSender in
            outbox.change(isOwnCall: true) { state, _ in
                state.calls[id]?.control.nextSignal(isSender: isSender)
            }
        }
    }

    private func abandon(_ id: Int) {
        if let call = outbox.change({ state, _ in state.calls.removeValue(forKey: id) }) { abandon(call) }
    }

    /// Cancels the request of a removed call. A signal that another thread is still sending has no effect after that.
    private func abandon(_ call: InterceptedCall, with error: any Error = CancellationError()) {
        var call = call
        let isOver = call.ending != nil
        call.receive(.failure(error)).give()
        _ = call.control.end(cancelling: !isOver)
        CarrierControl.send { _ in call.control.nextSignal(isSender: true) }
    }

    /// Takes the end of a call.
    private struct CallReceiver: EndingReceiver {
        let task: InterceptingDataTask
        let id: Int

        func receive(_ ending: Ending) { task.receive(ending, id) }
    }
}

// MARK: - Progress, metrics and trailers

extension InterceptingDataTask {
    var transferProgress: TransferProgress {
        let (dataTask, report) = outbox.withState { state in
            let id = state.returned?.call ?? state.lastCall
            return (state.calls[id]?.control.current, state.report)
        }
        return dataTask?.transferProgress ?? report?.progress ?? TransferProgress()
    }

    var transferMetrics: TransferMetrics? { outbox.withState { state in state.report }?.metrics }
    var trailers: Headers { outbox.withState { state in state.report }?.trailers ?? [:] }
}
