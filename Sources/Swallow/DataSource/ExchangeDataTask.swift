import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A data task of a ``CarrierSource`` under an adapter, where no service's task owns the exchange. It owns one itself,
/// which follows redirects, and keeps the contract of ``DataTask``.
///
/// It and the carrier of its hop hold each other until the hop ends.
final class ExchangeDataTask: DataTask {
    private struct State: Sendable {
        var exchange = Exchange()
        /// Held until the end: it may close its connections when it goes away.
        var source: (any CarrierSource)?
        var deadline: ScheduledWork?
        /// The latest hop's carrier.
        var carrier: (any DataTask)?
        /// The terms of the service's task, dropped at the end: they may keep a caller's values alive.
        var terms = SenderTerms.current
    }

    private let request: URLRequest
    private let outbox: Outbox<State>

    init(_ request: URLRequest, _ source: any CarrierSource, _ completion: @escaping PartQueue.Completion) {
        self.request = request
        outbox = Outbox(State(source: source), completion)
        outbox.onRoom { [weak self] in self?.holdCarrier() }
    }

    func resume() {
        let starts = outbox.change(isOwnCall: true) { state, queue in
            queue.resume()
            return state.exchange.control.resume()
        }
        if starts { begin() } else { sendSignals() }
    }

    func suspend() {
        outbox.change(isOwnCall: true) { state, queue in
            queue.suspend()
            state.exchange.control.suspend()
        }
        sendSignals()
    }

    func cancel() {
        end { $0.fail(with: URLError(.cancelled)) }
    }

    func stream(to receiver: @escaping @Sendable (ResponsePart) -> Void) {
        let unstreamed = outbox.change(isOwnCall: true) {
            $1.stream(to: receiver) ? $0.exchange.stream() : nil
        }
        if let (carrier, hop) = unstreamed { self.stream(carrier, of: hop) }
    }

    private func begin() {
        let (begun, terms) = outbox.withState { state in (state.source, state.terms) }
        guard let source = begun else { return }
        // Noted before any head arrives, so that the service's task accepts it.
        _ = terms.redirects?.take()
        do {
            if let problem = request.problemToSend { throw problem }
            if let deadline = try source.open(for: self, terms.clock ?? .system) {
                outbox.change(isOwnCall: true) { state, _ in
                    state.deadline.keep(deadline, if: !state.exchange.control.hasEnded)
                }.cancelIfUnneeded()
            }
            send(request, hop: 0, source)
        } catch {
            end { $0.fail(with: error) }
        }
    }

    private func send(_ request: URLRequest, hop: Int, _ source: any CarrierSource) {
        let carrier = source.carrier(for: request, of: Hop(owner: self, number: hop))
        // The former carrier is returned, so that it is released outside the lock.
        _ = outbox.change(isOwnCall: true) { state, _ in
            defer { state.carrier = carrier }
            return state.carrier
        }
        // The task may have ended before the source knew of it.
        if !start(carrier, of: hop, sending: request) { source.openExchanges.remove(self) }
    }

    private func end(cancelling: Bool = true, _ complete: (inout PartQueue) -> Void) {
        let (source, deadline, rest, terms) = outbox.change(isOwnCall: true) { state, _ in
            _ = state.exchange.control.end(cancelling: cancelling)
            let terms = state.terms
            state.terms = SenderTerms()
            return (state.source.take(), state.deadline.take(), state.exchange.takeRest(), terms)
        }
        // The source is released last, outside the lock: that may end a thread.
        withExtendedLifetime((source, terms)) {
            deadline?.cancel()
            rest?.leftover?.cancel()
            sendSignals()
            outbox.change { complete(&$1) }
            source?.openExchanges.remove(self)
        }
    }

    /// Pauses the carrier while too much waits for the receiver.
    private func holdCarrier() {
        outbox.change(isOwnCall: true) { $0.exchange.control.hold($1.isFull) }
        sendSignals()
    }
}

extension ExchangeDataTask: ExchangeOwner {
    func withExchange<Result>(_ change: (inout Exchange) -> Result) -> Result {
        outbox.change(isOwnCall: true) { state, _ in change(&state.exchange) }
    }

    func isJudged(after status: Int?) -> Bool { status.map(RedirectPolicy.isRedirect) ?? false }

    var judges: [any Judge] {
        outbox.withState { state in
            state.source.map { [state.terms.redirects?.take() ?? $0.redirectPolicy] } ?? []
        }
    }

    func deliver(_ item: Exchange.Item) {
        switch item {
        case .part(let part):
            let isFull = outbox.change { state, queue in
                queue.add(part)
                return queue.isFull
            }
            if isFull { holdCarrier() }
        case .end(let ending): end(cancelling: false) { $0.end(with: ending) }
        }
    }

    func fail(with error: any Error, hasEnded: Bool) {
        end(cancelling: !hasEnded) { $0.end(with: .failure(error)) }
    }

    // There is no other attempt: the data task follows redirects only.
    func interrupt(with error: any Error, in attempt: Int?) {
        end { $0.fail(with: error) }
    }

    func send(_ again: Exchange.Again, after finding: Exchange.Finding, as hop: Int) {
        let (ongoing, prepare) = outbox.withState { state in (state.source, state.terms.prepareRedirect) }
        guard let source = ongoing, var next = again.request else { return }
        if let response = finding.response { noteRedirect(response) }
        prepare?(&next)
        if let problem = next.problemToSend { return fail(with: problem, hasEnded: true) }
        send(next, hop: hop, source)
    }

    func callCarrier(_ body: () -> Void) { body() }
}

// MARK: - Progress, metrics and trailers

extension ExchangeDataTask {
    private var carrier: (any DataTask)? { outbox.withState { state in state.carrier } }

    var transferProgress: TransferProgress { carrier?.transferProgress ?? TransferProgress() }

    var transferMetrics: TransferMetrics? {
        guard var metrics = carrier?.transferMetrics else { return nil }
        metrics.add(outbox.withState { state in state.exchange })
        return metrics
    }

    var trailers: Headers { carrier?.trailers ?? [:] }
}

extension TransferMetrics {
    /// Adds what an exchange knows of earlier hops and tries.
    mutating func add(_ exchange: Exchange) {
        redirects += exchange.redirects.count
        hops = exchange.redirects + hops
        attempts += exchange.attempt.sent + exchange.attempt.repeats - 1
        attempts += exchange.redirected.reduce(0) { $0 + ($1.transferMetrics?.attempts ?? 1) - 1 }
    }
}
