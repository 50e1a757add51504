import Foundation

final class InterceptOperation: DataTaskOperation {
    typealias Interceptor = @Sendable (URLRequest, NextDataSource) async throws -> InterceptedResponse

    private struct State: Sendable {
        var calls = InterceptedCalls()
        var interception: ScheduledWork?
    }

    private let request: URLRequest
    private let source: any SessionDataTaskDataSource
    private let interceptor: Interceptor
    private let limit: Int
    private let output: DataTaskOutput
    private let state = Lock(State())

    init(
        _ request: URLRequest, _ source: any SessionDataTaskDataSource, _ output: DataTaskOutput,
        limit: Int, _ interceptor: @escaping Interceptor
    ) {
        (self.request, self.source, self.output) = (request, source, output)
        (self.limit, self.interceptor) = (limit, interceptor)
    }

    func start(inParts: Bool) {
        let interception = Caller.startTask(for: TransferContext.current.caller) { [self] in
            do {
                try await finish(with: interceptor(request, NextDataSource(operation: self)))
            } catch let error as URLError {
                complete(with: .failure(error))
            } catch {
                complete(with: .failure(ServiceError(thrown: error, request: nil)))
            }
        }
        state.withLock { $0.interception.store(interception, if: !$0.calls.hasEnded) }.cancelIfUnneeded()
    }

    func suspend() { for pendingCall in change({ $0.setSuspended(true) }) { pendingCall.make() } }
    func resume() { for pendingCall in change({ $0.setSuspended(false) }) { pendingCall.make() } }
    func cancel() { stop() }

    var facts: TransferFacts { change { $0.base }?.facts ?? TransferFacts() }

    private func change<Result>(_ change: (inout InterceptedCalls) -> Result) -> Result {
        state.withLock { change(&$0.calls) }
    }

    /// Delivers the response. An unread body of one of the interceptor's own calls is streamed.
    private func finish(with response: InterceptedResponse) async throws {
        if case .unread(let body) = response.body, body.operation === self,
            forward(body.call, response.head)
        {
            return
        }
        let data = try await response.data
        // If the interceptor sent nothing, there was no redirect, so the task's redirect policy counts as applied.
        if change({ $0.lastID == 0 }) { _ = TransferContext.current.redirects?.take() }
        complete(with: DataTaskResult(data, response.head, nil))
    }

    /// Streams a call's body to the task. Returns `false` if the call was removed, but the task isn't complete.
    private func forward(_ id: Int, _ head: HTTPURLResponse) -> Bool {
        let (forwarding, hasEnded) = change { calls in
            let forwarding = calls.forward(id, head)
            // Called under the lock, so that body parts that arrive now follow these parts.
            if let forwarding { output.add(forwarding.parts) }
            return (forwarding, calls.hasEnded)
        }
        guard let forwarding else { return hasEnded }
        for call in forwarding.others { abandon(call) }
        output.deliver()
        forwarding.pendingCall?.make()
        if let result = forwarding.result { complete(with: result) }
        return true
    }

    private func complete(with result: DataTaskResult) {
        output.receive(result)
        stop()
    }

    private func stop() {
        let (interception, calls) = state.withLock { ($0.interception.take(), $0.calls.end()) }
        interception?.cancel()
        for call in calls { abandon(call) }
    }

    private func abandon(_ call: InterceptedCall?, with error: any Error = CancellationError()) {
        guard var call else { return }
        call.receive(.failure(error)).deliver()
        call.base.cancel()
    }
}

extension InterceptOperation {
    func send(_ request: URLRequest) async throws -> InterceptedResponse {
        let id = change { $0.makeID() }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { caller in
                guard let base = change({ $0.add(InterceptedCall(caller), id) }) else {
                    return caller.resume(returning: .end(.failure(CancellationError())))
                }
                // A cancellation before the call was added had no call to remove.
                if Task.isCancelled { return abandon(change { $0.remove(id) }) }
                base.send(request, to: source, for: CallReceiver(operation: self, id: id))
            }
        } onCancel: {
            abandon(change { $0.remove(id) })
        }
        switch outcome {
        case .head(let head): return InterceptedResponse(head, unread: InterceptedBody(self, call: id))
        case .end(let result): return try InterceptedResponse(result)
        }
    }

    func read(_ id: Int) async throws -> Data {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { reader in
                let (stored, pendingCall) = change { $0.read(id, reader) }
                pendingCall?.make()
                if let stored { reader.resume(returning: stored) }
            }
        } onCancel: {
            abandon(change { $0.remove(id) })
        }
        if let error = result.error { throw error }
        return result.data ?? Data()
    }

    func drop(_ id: Int) { abandon(change { $0.drop(id) }) }
}

extension InterceptOperation {
    private struct CallReceiver: ResponseReceiver {
        let operation: InterceptOperation
        let id: Int

        func receive(_ part: ResponsePart) { operation.receive(part, id) }
        func receive(_ result: DataTaskResult) { operation.receive(result, id) }
    }

    private func receive(_ part: ResponsePart, _ id: Int) {
        let (deliveries, pendingCall, isTooLarge) = change {
            calls -> (InterceptedCall.Deliveries, BaseDataTask.PendingCall?, Bool) in
            guard calls.isForwarded(id) else {
                let (deliveries, pendingCall) = calls.receive(part, id)
                return (deliveries, pendingCall, calls.byteCount(id) > limit)
            }
            calls.count(part, id)
            output.add([part])
            return (.init(), nil, calls.byteCount(id) > limit && !output.isStreamed)
        }
        output.deliver()
        pendingCall?.make()
        deliveries.deliver()
        if isTooLarge { failCall(id, ResponseSize.error(over: limit, url: request.url)) }
    }

    private func receive(_ result: DataTaskResult, _ id: Int) {
        let completion = change { $0.receive(result, id) }
        completion.deliveries.deliver()
        withExtendedLifetime(completion) {
            if let taskResult = completion.taskResult { complete(with: taskResult) }
        }
    }

    private func failCall(_ id: Int, _ error: any Error) {
        let (call, isForwarded) = change { ($0.remove(id), $0.isForwarded(id)) }
        abandon(call, with: error)
        if isForwarded { complete(with: .failure(error)) }
    }
}
