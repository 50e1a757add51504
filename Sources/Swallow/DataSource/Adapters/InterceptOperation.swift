import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Runs an interceptor, and sends the interceptor's requests to the base.
final class InterceptOperation: DataTaskOperation {
    typealias Interceptor = @Sendable (URLRequest, NextDataSource) async throws -> InterceptedResponse

    /// The call whose body streams on to the task.
    private struct Forwarded: Sendable {
        let id: Int
        /// The head that the interceptor has returned.
        let head: HTTPURLResponse
        var byteCount = 0
    }

    private struct State: Sendable {
        var hasEnded = false
        var isSuspended = false
        /// Cancels the interceptor.
        var interception: ScheduledWork?
        var calls: [Int: InterceptedCall] = [:]
        var lastCall = 0
        var forwarded: Forwarded?
        /// The base data task whose report is the task's, once it has ended.
        var reported: BaseDataTask?

        mutating func end() -> (ScheduledWork?, [InterceptedCall]) {
            hasEnded = true
            forwarded = nil
            defer { calls = [:] }
            return (interception.take(), Array(calls.values))
        }

        /// Records whether the base data task of a call should run.
        func recordFlow(_ id: Int) -> DataTaskCalls.Call? {
            guard let call = calls[id] else { return nil }
            let isPaused = isSuspended || call.isHeld && forwarded?.id != id
            return call.base.record { isPaused ? $0.suspend() : $0.resume() }
        }
    }

    private let request: URLRequest
    private let source: any SessionDataTaskDataSource
    private let interceptor: Interceptor
    private let limit: Int
    private let output: DataTaskOutput
    private let state = Lock(State())

    /// - Parameter limit: The number of bytes of a body that isn't streamed on that may be in memory.
    init(
        _ request: URLRequest, _ source: any SessionDataTaskDataSource, _ output: DataTaskOutput,
        limit: Int = ResponseSize.standardLimit, _ interceptor: @escaping Interceptor
    ) {
        (self.request, self.source, self.output) = (request, source, output)
        (self.limit, self.interceptor) = (limit, interceptor)
    }

    func start(inParts: Bool) {
        let interception = Caller.startTask(for: SenderTerms.current.caller) { [self] in
            do {
                try await finish(with: interceptor(request, NextDataSource(operation: self)))
            } catch let error as URLError {
                complete(with: .failure(error))
            } catch {
                complete(with: .failure(ServiceError(thrown: error, request: nil)))
            }
        }
        state.withLock { $0.interception.keep(interception, if: !$0.hasEnded) }.cancelIfUnneeded()
    }

    func suspend() { setSuspended(true) }
    func resume() { setSuspended(false) }
    func cancel() { stop() }

    var report: TransferReport {
        let base = state.withLock { $0.calls[$0.forwarded?.id ?? $0.lastCall]?.base ?? $0.reported }
        return base?.report ?? TransferReport()
    }

    private func setSuspended(_ isSuspended: Bool) {
        let calls = state.withLock { state in
            state.isSuspended = isSuspended
            return state.calls.map { ($0.value.base, state.recordFlow($0.key)) }
        }
        for (base, call) in calls { base.make(call) }
    }

    /// Completes the task with the response that the interceptor has returned. A body that is still unread streams on.
    private func finish(with response: InterceptedResponse) async throws {
        if case .unread(let body) = response.body, body.operation === self,
            forward(body.call, response.head)
        {
            return
        }
        let data = try await response.data
        // A response that the interceptor made itself followed no redirect.
        if state.withLock({ $0.lastCall == 0 }) { _ = SenderTerms.current.redirects?.take() }
        complete(with: Ending(data, response.head, nil))
    }

    private func complete(with ending: Ending) {
        output.receive(ending)
        stop()
    }

    /// Cancels the interceptor and its requests.
    private func stop() {
        let (interception, calls) = state.withLock { $0.end() }
        interception?.cancel()
        for call in calls { abandon(call) }
    }
}

// MARK: - The interceptor's calls

extension InterceptOperation {
    /// Sends a request to the base, and waits for the head, or for the ending if the base doesn't stream.
    func send(_ request: URLRequest) async throws -> InterceptedResponse {
        let id = state.withLock { state in
            state.lastCall += 1
            return state.lastCall
        }
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { caller in
                guard let base = add(InterceptedCall(caller), id) else {
                    return caller.resume(returning: .end(.failure(CancellationError())))
                }
                // A cancellation that came before the call was added found nothing to abandon.
                if Task.isCancelled { return abandon(id) }
                base.send(request, to: source, for: CallReceiver(operation: self, id: id))
            }
        } onCancel: {
            abandon(id)
        }
        switch answer {
        case .head(let head): return InterceptedResponse(head, unread: InterceptedBody(self, call: id))
        case .end(let ending): return try InterceptedResponse(ending)
        }
    }

    /// Reads the body of a call to its end.
    func read(_ id: Int) async throws -> Data {
        let ending = await withTaskCancellationHandler {
            await withCheckedContinuation { reader in
                let (known, base, call) = state.withLock {
                    state -> (Ending?, BaseDataTask?, DataTaskCalls.Call?) in
                    guard let base = state.calls[id]?.base else {
                        return (.failure(CancellationError()), nil, nil)
                    }
                    let known = state.calls[id]?.read(reader)
                    return (known, base, state.recordFlow(id))
                }
                base?.make(call)
                if let known { reader.resume(returning: known) }
            }
        } onCancel: {
            abandon(id)
        }
        if let error = ending.error { throw error }
        return ending.data ?? Data()
    }

    /// Cancels a call whose body was released, unless the body was returned to the task.
    func drop(_ id: Int) {
        let call = state.withLock { $0.forwarded?.id == id ? nil : $0.calls.removeValue(forKey: id) }
        if let call { abandon(call) }
    }

    private func add(_ call: InterceptedCall, _ id: Int) -> BaseDataTask? {
        state.withLock { state in
            if state.hasEnded { return nil }
            state.calls[id] = call
            // The base data task doesn't exist yet, so no call is due.
            _ = call.base.record { $0.deliverParts() }
            _ = state.recordFlow(id)
            return call.base
        }
    }

    /// Streams a call's body on to the task, and cancels the other calls. Returns `false` if there is no such call.
    private func forward(_ id: Int, _ head: HTTPURLResponse) -> Bool {
        let (call, others, next) = state.withLock {
            state -> (InterceptedCall?, [InterceptedCall], DataTaskCalls.Call?) in
            guard !state.hasEnded, var call = state.calls.removeValue(forKey: id) else {
                return (nil, [], nil)
            }
            let (others, body) = (Array(state.calls.values), call.takeBody())
            state.calls = [id: call]
            state.forwarded = Forwarded(id: id, head: head, byteCount: body.count)
            // Under the lock, so that the body parts that arrive now follow.
            output.add([.head(head), .bytes(body)])
            return (call, others, state.recordFlow(id))
        }
        for call in others { abandon(call) }
        guard let call else { return state.withLock { $0.hasEnded } }
        output.deliver()
        call.base.make(next)
        if let ending = call.ending {
            complete(with: ending.error.map { .failure($0) } ?? Ending(Data(), head, nil))
        }
        return true
    }

    private func abandon(_ id: Int) {
        if let call = state.withLock({ $0.calls.removeValue(forKey: id) }) { abandon(call) }
    }

    /// Cancels the request of a removed call.
    private func abandon(_ call: InterceptedCall, with error: any Error = CancellationError()) {
        var call = call
        call.receive(.failure(error)).give()
        call.base.cancel()
    }
}

// MARK: - The base's responses

extension InterceptOperation {
    /// Receives the response of one call.
    private struct CallReceiver: ResponseReceiver {
        let operation: InterceptOperation
        let id: Int

        func receive(_ part: ResponsePart) { operation.receive(part, id) }
        func receive(_ ending: Ending) { operation.receive(ending, id) }
    }

    private func receive(_ part: ResponsePart, _ id: Int) {
        let (answers, base, call, isTooLarge) = state.withLock {
            state -> (InterceptedCall.Answers, BaseDataTask?, DataTaskCalls.Call?, Bool) in
            if state.forwarded?.id == id {
                if case .bytes(let bytes) = part { state.forwarded?.byteCount += bytes.count }
                output.add([part])
                return (.init(), nil, nil, (state.forwarded?.byteCount ?? 0) > limit && !output.isStreamed)
            }
            let answers = state.calls[id]?.receive(part) ?? .init()
            let isTooLarge = (state.calls[id]?.body.count ?? 0) > limit
            return (answers, state.calls[id]?.base, state.recordFlow(id), isTooLarge)
        }
        output.deliver()
        base?.make(call)
        answers.give()
        if isTooLarge { refuse(id, ResponseSize.error(over: limit, url: request.url)) }
    }

    private func receive(_ ending: Ending, _ id: Int) {
        let (answers, call, head) = state.withLock {
            state -> (InterceptedCall.Answers, InterceptedCall?, HTTPURLResponse?) in
            let base = state.calls[id]?.base
            if state.forwarded.map({ $0.id == id }) ?? true { state.reported = base ?? state.reported }
            if let forwarded = state.forwarded, forwarded.id == id {
                return (.init(), state.calls.removeValue(forKey: id), forwarded.head)
            }
            let answers = state.calls[id]?.receive(ending) ?? .init()
            return (answers, answers.isComplete ? state.calls.removeValue(forKey: id) : nil, nil)
        }
        answers.give()
        guard let head else { return }
        withExtendedLifetime(call) {
            complete(
                with: ending.error.map { .failure($0) } ?? Ending(ending.data ?? Data(), head, nil))
        }
    }

    /// Fails a call, and the task if it has the call's body.
    private func refuse(_ id: Int, _ error: any Error) {
        let (call, isForwarded) = state.withLock {
            ($0.calls.removeValue(forKey: id), $0.forwarded?.id == id)
        }
        if let call { abandon(call, with: error) }
        if isForwarded { complete(with: .failure(error)) }
    }
}
