import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request to a base data source whose answer goes to every task that has joined.
///
/// It is made when a first task is resumed; its base task may come later, is paused while all who joined are
/// suspended, and is cancelled when the last of them leaves. Nothing is called with a lock held.
final class JointExchange: Sendable {
    private let state = Lock(State())
    private let onEnd: (@Sendable (JointExchange) -> Void)?

    private init(onEnd: (@Sendable (JointExchange) -> Void)?) {
        self.onEnd = onEnd
    }

    /// Makes an exchange that has its first member.
    ///
    /// - Parameter onEnd: runs once, before the members get their answer.
    static func opened(
        by answer: Answer, onEnd: (@Sendable (JointExchange) -> Void)? = nil
    ) -> Place {
        let exchange = JointExchange(onEnd: onEnd)
        return Place(exchange: exchange, ticket: exchange.state.withLock { $0.admit(answer) })
    }

    /// Takes in another member; nil if the exchange has ended. `sendSignals()` is to follow.
    func join(_ answer: Answer) -> Place? {
        let ticket = state.withLock { $0.transfer.hasEnded ? nil : $0.admit(answer) }
        return ticket.map { Place(exchange: self, ticket: $0) }
    }

    /// Has a base data source send the request, if anybody still waits for it.
    func send(_ request: URLRequest, to base: some SessionDataTaskDataSource) {
        if state.withLock({ $0.transfer.hasEnded }) { return }
        let receipt = Receipt(self)
        let dataTask = base.dataTask(with: request) { data, response, error in
            receipt.exchange.end(data, response, error)
        }
        if state.withLock({ $0.transfer.begin(dataTask) }) { sendSignals() } else { dataTask.cancel() }
    }

    /// Runs what must come before the request is sent; it is cancelled when nobody waits for it any more.
    func prepare(_ work: @escaping @Sendable () async -> Void) {
        let preparation = Task { await work() }
        let isNeeded = state.withLock { state in
            if state.transfer.hasEnded { return false }
            state.preparation = preparation
            return true
        }
        if !isNeeded { preparation.cancel() }
    }

    /// Ends the exchange with an answer for all its members; only the first one counts.
    func end(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) {
        let ended = state.withLock { $0.end(cancelling: false) }
        guard let ended else { return }
        settle(ended.preparation)
        for (_, member) in ended.members.sorted(by: { $0.key < $1.key }) {
            member.answer.give(data, response, error)
        }
    }

    private func settle(_ preparation: Task<Void, Never>?) {
        onEnd?(self)
        sendSignals()
        preparation?.cancel()
    }

    /// Tells the base task what is wanted of it, on one thread at a time.
    func sendSignals() {
        TransferState.send { isSender in state.withLock { $0.transfer.nextSignal(isSender: isSender) } }
    }
}

extension JointExchange {
    /// A member's place in an exchange.
    struct Place: Sendable {
        let exchange: JointExchange
        fileprivate let ticket: Int

        /// Whether the exchange was made for this member, and is to be started.
        var isFirst: Bool { ticket == 0 }

        /// Marks the member as running; `sendSignals()` is to follow.
        func resume() { exchange.state.withLock { $0.setSuspended(false, ticket) } }

        /// Marks the member as suspended; `sendSignals()` is to follow.
        func suspend() { exchange.state.withLock { $0.setSuspended(true, ticket) } }

        /// Gives up the place; the last member to do so cancels the request.
        func leave() { exchange.leave(ticket, evenIfRunning: true) }

        /// Gives up the place of a task that nobody can resume any more.
        func leaveIfSuspended() { exchange.leave(ticket, evenIfRunning: false) }
    }

    private func leave(_ ticket: Int, evenIfRunning: Bool) {
        let (member, ended) = state.withLock { state -> (State.Member?, State.Ended?) in
            guard let member = state.members[ticket], evenIfRunning || member.isSuspended else {
                return (nil, nil)
            }
            return (member, state.remove(ticket))
        }
        // The member was returned, so that its completion is let go of outside the lock.
        if member == nil { return }
        if let ended { settle(ended.preparation) } else { sendSignals() }
    }

    /// What the base holds of an exchange; when it lets go of it without an answer, there is none.
    private final class Receipt: Sendable {
        let exchange: JointExchange

        init(_ exchange: JointExchange) {
            self.exchange = exchange
        }

        deinit {
            exchange.end(nil, nil, nil)
        }
    }
}
