import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The public data task of a ``TransferSource``, for an app or an adapter that uses the data source without a service.
///
/// It owns an exchange, which follows redirects, and keeps the contract of ``DataTask``.
final class ExchangeDataTask: DataTask {
    private struct State: Sendable {
        var exchange = Exchange()
        /// Kept until the completion, because the data source may close its connections when it is released.
        var source: (any TransferSource)?
        /// The terms of the service's task. They are dropped at the completion, because they may keep a caller's values
        /// alive.
        var terms = SenderTerms.current
    }

    private let request: URLRequest
    private let outbox: Outbox<State>

    init(_ request: URLRequest, _ source: any TransferSource, _ completion: @escaping PartQueue.Completion) {
        self.request = request
        outbox = Outbox(State(source: source), completion)
        outbox.onRoom { [weak self] in self?.updateSinkFlow() }
    }

    func resume() {
        let starts = outbox.change(isOwnCall: true) { state, queue in
            queue.resume()
            return state.exchange.resume()
        }
        if starts { sendFirst() } else { updateTransfer() }
    }

    func suspend() {
        outbox.change(isOwnCall: true) { state, queue in
            queue.suspend()
            state.exchange.suspend()
        }
        updateTransfer()
    }

    func cancel() {
        complete { $0.fail(with: URLError(.cancelled)) }
    }

    func stream(to receiver: @escaping @Sendable (ResponsePart) -> Void) {
        let head = outbox.change(isOwnCall: true) { state, queue -> ResponseHead? in
            guard queue.stream(to: receiver) else { return nil }
            state.exchange.deliverParts()
            let head = state.exchange.acceptedHead
            if let head { queue.add(.head(head.response)) }
            return head
        }
        withExtendedLifetime(head) { updateTransfer() }
    }

    private func sendFirst() {
        let (begun, terms) = outbox.withState { state in (state.source, state.terms) }
        guard let source = begun else { return }
        // Noted before any head arrives, so that the service's task accepts it.
        _ = terms.redirects?.take()
        do {
            let permit = try source.beginAttempt(terms.clock ?? .system)
            guard withExchange({ $0.takePermit(permit, number: 0) }) else { return permit.end() }
            begin(source.transfer(for: request, of: permit, to: receiver(0)), number: 0, sending: request)
        } catch {
            complete { $0.end(with: .failure(error)) }
        }
    }

    private func receiver(_ number: Int) -> TransferReceiver { TransferReceiver(owner: self, number: number) }

    private func complete(_ change: (inout PartQueue) -> Void) {
        let (source, permit, terms) = outbox.change(isOwnCall: true) { state, _ in
            _ = state.exchange.complete()
            let terms = state.terms
            state.terms = SenderTerms()
            return (state.source.take(), state.exchange.releasePermit(), terms)
        }
        // The source is released last, outside the lock, because that may end a thread.
        withExtendedLifetime((source, terms)) {
            updateTransfer()
            outbox.change { change(&$1) }
            permit?.end()
        }
    }

    /// Pauses the transfer while too much waits for the receiver.
    private func updateSinkFlow() {
        outbox.change(isOwnCall: true) { $0.exchange.setSinkFull($1.isFull) }
        updateTransfer()
    }
}

extension ExchangeDataTask: ExchangeOwner {
    func withExchange<Result>(_ change: (inout Exchange) -> Result) -> Result {
        outbox.change(isOwnCall: true) { state, _ in change(&state.exchange) }
    }

    func needsDecision(on head: ResponseHead?) -> Bool {
        head.map { RedirectPolicy.isRedirect($0.statusCode) } ?? false
    }

    var policies: [any FollowUpPolicy] {
        outbox.withState { state in
            state.source.map { [state.terms.redirects?.take() ?? $0.redirectPolicy] } ?? []
        }
    }

    private var leaving: (@Sendable (@escaping @Sendable () -> Void) -> Void)? {
        outbox.withState { state in state.source }?.leaveTransferThread
    }

    var mustLeaveTransferThread: Bool { leaving != nil }

    func leaveTransferThread(_ body: @escaping @Sendable () -> Void) {
        if let leaving { leaving(body) } else { body() }
    }

    func deliver(_ head: ResponseHead) {
        outbox.change(isOwnCall: mustLeaveTransferThread) { $1.add(.head(head.response)) }
    }

    func deliver(_ bodyPart: Data) {
        outbox.change(isOwnCall: mustLeaveTransferThread) { state, queue in
            queue.add(.bytes(bodyPart))
            state.exchange.setSinkFull(queue.isFull)
        }
    }

    func deliver(_ result: TransferResult, after head: ResponseHead?) {
        let ending =
            switch result {
            case .success(let data): head.map { Ending(data, $0) } ?? Ending(data, nil, nil)
            case .failure(let error, let errorHead): Ending(nil, (head ?? errorHead)?.response, error)
            }
        // A suspended task also completes when its time is over or when the data source is shut down.
        let failure = withExchange { $0.permit }?.failure
        complete { queue in
            if let failure { queue.fail(with: failure) } else { queue.end(with: ending) }
        }
    }

    func fail(with error: any Error, hasCompleted: Bool) {
        complete { $0.end(with: .failure(error)) }
    }

    func send(_ followUp: FollowUp, after outcome: TransferOutcome, as number: Int) {
        let (ongoing, permit, prepare) = outbox.withState { state in
            (state.source, state.exchange.permit, state.terms.prepareRedirect)
        }
        guard let source = ongoing, let permit, var next = followUp.request else { return }
        prepare?(&next)
        begin(source.transfer(for: next, of: permit, to: receiver(number)), number: number, sending: next)
    }

    func callTransfer(_ body: () -> Void) { body() }
}

// MARK: - Progress, metrics and trailers

extension ExchangeDataTask {
    private var exchange: Exchange { outbox.withState { state in state.exchange } }

    var transferProgress: TransferProgress {
        let exchange = exchange
        return (exchange.transfer ?? exchange.completedTransfer)?.facts.progress ?? TransferProgress()
    }

    var transferMetrics: TransferMetrics? {
        let exchange = exchange
        guard var metrics = exchange.completedTransfer?.facts.metrics else { return nil }
        metrics.add(exchange)
        return metrics
    }

    var trailers: Headers { exchange.completedTransfer?.facts.trailers ?? [:] }
}

extension TransferMetrics {
    /// Adds what an exchange knows about earlier transfers.
    mutating func add(_ exchange: Exchange) {
        redirects += exchange.redirects.count
        hops = exchange.redirects + hops
        attempts += exchange.attempt.sent - 1
        attempts += exchange.replaced.reduce(0) { $0 + ($1.facts.metrics?.attempts ?? 1) - 1 }
    }
}
