import Foundation

/// Sends a data task's request through a ``TransferSource``. Its exchange follows redirects.
final class ExchangeOperation: DataTaskOperation {
    private struct State: Sendable {
        var exchange = Exchange()
        /// Held until the completion, because the data source may close its connections when it is released.
        var source: (any TransferSource)?
        /// Released at the completion, because it may keep task-local values alive.
        var context = TransferContext.current
        var hasPassedHead = false
    }

    private let request: URLRequest
    private let output: DataTaskOutput
    let mustLeaveTransferThread: Bool
    private let state: Lock<State>

    init(_ request: URLRequest, _ source: any TransferSource, _ output: DataTaskOutput) {
        (self.request, self.output) = (request, output)
        mustLeaveTransferThread = source.hasEventLoop
        state = Lock(State(source: source))
        output.onRoom { [weak self] in self?.resumeAsSinkHasRoom() }
    }

    func start(inParts: Bool) {
        let isFirst = withExchange { exchange in
            if inParts { exchange.deliverParts() }
            return exchange.resume()
        }
        if isFirst { sendFirst() }
    }

    func deliverParts() {
        passHead { $0.deliverParts() }
        updateTransfer()
    }

    func suspend() {
        withExchange { $0.suspend() }
        updateTransfer()
    }

    func resume() {
        _ = withExchange { $0.resume() }
        updateTransfer()
    }

    func cancel() { complete {} }

    var facts: TransferFacts {
        let exchange = withExchange { $0 }
        guard var facts = exchange.completedTransfer?.facts else {
            return TransferFacts(progress: exchange.transfer?.facts.progress ?? TransferProgress())
        }
        facts.metrics?.add(exchange)
        return facts
    }

    private func sendFirst() {
        let (begun, redirects) = state.withLock { ($0.source, $0.context.redirects) }
        guard let source = begun else { return }
        // Marks the request's redirect policy as applied. Otherwise, the service's task would fail.
        _ = redirects?.take()
        createTransfer(for: request, through: source, number: 0)
    }

    private func complete(_ endTask: () -> Void) {
        let (source, permit, context) = state.withLock { state in
            _ = state.exchange.complete()
            defer { state.context = TransferContext() }
            return (state.source.take(), state.exchange.releasePermit(), state.context)
        }
        // The source is released last, outside the lock, because its release may stop a thread.
        withExtendedLifetime((source, context)) {
            updateTransfer()
            endTask()
            permit?.end()
        }
    }

    private func passHead(after change: (inout Exchange) -> Void = { _ in }) {
        state.withLock { state in
            change(&state.exchange)
            guard state.exchange.deliversParts, !state.hasPassedHead, let head = state.exchange.acceptedHead
            else { return }
            state.hasPassedHead = true
            // Under the lock, so that body parts that arrive now follow the head.
            output.add([.head(head.response)])
        }
        output.deliver(onOtherThread: mustLeaveTransferThread)
    }

    private func resumeAsSinkHasRoom() {
        state.withLock { $0.exchange.setSinkFull(output.isFull) }
        updateTransfer()
    }
}

extension ExchangeOperation: ExchangeOwner {
    func withExchange<Result>(_ change: (inout Exchange) -> Result) -> Result {
        state.withLock { change(&$0.exchange) }
    }

    func needsDecision(on head: ResponseHead?) -> Bool {
        head.map { RedirectPolicy.isRedirect($0.statusCode) } ?? false
    }

    var policies: [any FollowUpPolicy] {
        state.withLock { state in
            state.source.map { [state.context.redirects?.take() ?? $0.redirectPolicy] } ?? []
        }
    }

    var clock: any ServiceClock { state.withLock { $0.context.clock } ?? .system }

    func noteHead(_ head: ResponseHead) {}

    func deliverHead(_ head: ResponseHead) { passHead() }

    func receiveBodyPart(_ bodyPart: Data, from number: Int) -> Flow {
        let isTaken = state.withLock { state in
            let isTaken = state.exchange.takesBodyParts(from: number)
            if isTaken { output.add([.bytes(bodyPart)]) }
            return isTaken
        }
        guard isTaken else { return .more }
        output.deliver(onOtherThread: mustLeaveTransferThread)
        return state.withLock { $0.exchange.flowAfterPart(from: number, isSinkFull: output.isFull) }
    }

    func deliverResult(_ result: TransferResult, after head: ResponseHead?) {
        let dataTaskResult =
            switch result {
            case .success(let data): DataTaskResult(data, head?.response, nil)
            case .failure(let error, let errorHead): DataTaskResult(nil, (head ?? errorHead)?.response, error)
            }
        // A suspended task also fails if its time is over or if a shutdown of the data source cancels it.
        let failure = withExchange { $0.attemptFailure }
        complete { if let failure { output.fail(with: failure) } else { output.receive(dataTaskResult) } }
    }

    func failExchange(with error: any Error) {
        complete { output.receive(.failure(error)) }
    }

    func sendFollowUp(_ followUp: FollowUp, after outcome: TransferOutcome, as number: Int) {
        let (ongoing, prepare) = state.withLock { ($0.source, $0.context.prepareRedirect) }
        guard let source = ongoing, var next = followUp.request else { return }
        prepare?(&next)
        createTransfer(for: next, through: source, number: number)
    }
}

extension TransferMetrics {
    mutating func add(_ exchange: Exchange) {
        redirects += exchange.redirects.count
        followedRedirects = exchange.redirects + followedRedirects
        attempts += exchange.attempt.sent - 1
        attempts += exchange.replaced.reduce(0) { $0 + ($1.facts.metrics?.attempts ?? 1) - 1 }
    }
}
