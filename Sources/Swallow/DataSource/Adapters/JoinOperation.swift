import Foundation

/// Joins an identical request's ``JointExchange``, if any, when first resumed. A streaming task shares no request.
final class JoinOperation: DataTaskOperation {
    private let key: CoalescingKey
    private let source: any SessionDataTaskDataSource
    private let exchanges: CoalescedExchanges
    private let output: DataTaskOutput
    private let place = Lock<JointExchange.Place?>(nil)

    init(
        _ key: CoalescingKey, _ source: any SessionDataTaskDataSource, _ exchanges: CoalescedExchanges,
        _ output: DataTaskOutput
    ) {
        (self.key, self.source, self.exchanges, self.output) = (key, source, exchanges, output)
    }

    deinit {
        currentPlace?.leaveIfSuspended()
    }

    func start(inParts: Bool) {
        if inParts { return startAlone(isSuspended: false) }
        let place = exchanges.join(key, output)
        self.place.withLock { $0 = place }
        place.resume()
        if place.isFirst { place.exchange.send(key.request, to: source) }
    }

    func deliverParts() {
        guard let place = currentPlace else { return }
        if exchanges.close(key, place) { return place.exchange.deliverParts() }
        let isSuspended = place.isSuspended
        // If the joint exchange is completing already, the task receives its result.
        if place.leave() { startAlone(isSuspended: isSuspended) }
    }

    func suspend() { currentPlace?.suspend() }
    func resume() { currentPlace?.resume() }
    func cancel() { place.withLock { $0.take() }?.leave() }

    var facts: TransferFacts { currentPlace?.exchange.facts ?? TransferFacts() }

    private var currentPlace: JointExchange.Place? { place.withLock { $0 } }

    private func startAlone(isSuspended: Bool) {
        let place = JointExchange.opened(by: output) { _ in }
        _ = self.place.withLock { current in
            defer { current = place }
            return current
        }
        place.exchange.deliverParts()
        if !isSuspended { place.resume() }
        place.exchange.send(key.request, to: source)
    }
}

/// One request that tasks can share. It is suspended while all are suspended, and cancelled when all have left.
final class JointExchange: ResponseReceiver {
    private let base = BaseDataTask()
    private let state = Lock(State())
    private let onEnd: @Sendable (JointExchange) -> Void

    private init(onEnd: @escaping @Sendable (JointExchange) -> Void) {
        self.onEnd = onEnd
    }

    /// Creates an exchange with a suspended member. `onEnd` runs once, when it completes or all members have left.
    static func opened(
        by member: DataTaskOutput, onEnd: @escaping @Sendable (JointExchange) -> Void
    ) -> Place {
        let exchange = JointExchange(onEnd: onEnd)
        return Place(exchange: exchange, ticket: exchange.state.withLock { $0.admit(member) })
    }

    func join(_ member: DataTaskOutput) -> Place? {
        let ticket = state.withLock { $0.hasEnded ? nil : $0.admit(member) }
        return ticket.map { Place(exchange: self, ticket: $0) }
    }

    func send(_ request: URLRequest, to source: any SessionDataTaskDataSource) {
        base.send(request, to: source, for: self)
    }

    func deliverParts() { base.deliverParts() }

    var facts: TransferFacts { base.facts }

    func receive(_ part: ResponsePart) {
        for member in state.withLock({ $0.membersInOrder }) { member.receive(part) }
    }

    func receive(_ result: DataTaskResult) {
        let members = state.withLock { $0.end() }
        if members.isEmpty { return }
        onEnd(self)
        for member in members { member.receive(result) }
    }
}

extension JointExchange {
    struct Place: Sendable {
        let exchange: JointExchange
        fileprivate let ticket: Int

        var isFirst: Bool { ticket == 0 }

        var isSuspended: Bool { exchange.state.withLock { $0.isSuspended(ticket) } }

        var isAlone: Bool { exchange.state.withLock { $0.isAlone(ticket) } }

        func resume() { exchange.setSuspended(false, ticket) }
        func suspend() { exchange.setSuspended(true, ticket) }

        @discardableResult
        func leave() -> Bool { exchange.leave(ticket, evenIfRunning: true) }

        /// Leaves if the task is suspended. Called after the release of the task, which therefore can't be resumed.
        func leaveIfSuspended() { _ = exchange.leave(ticket, evenIfRunning: false) }
    }

    private func setSuspended(_ isSuspended: Bool, _ ticket: Int) {
        let pendingCall = state.withLock { state in
            state.setSuspended(isSuspended, ticket)
            return recordFlow(of: state)
        }
        pendingCall?.make()
    }

    private func leave(_ ticket: Int, evenIfRunning: Bool) -> Bool {
        let (member, hasEnded, pendingCall) = state.withLock {
            state -> (DataTaskOutput?, Bool, BaseDataTask.PendingCall?) in
            if !evenIfRunning, !state.isSuspended(ticket) { return (nil, false, nil) }
            guard let member = state.remove(ticket) else { return (nil, false, nil) }
            let hasEnded = state.hasEnded
            let pendingCall = hasEnded ? base.record { $0.isCancelled = true } : recordFlow(of: state)
            return (member, hasEnded, pendingCall)
        }
        if member == nil { return false }
        if hasEnded { onEnd(self) }
        pendingCall?.make()
        return true
    }

    private func recordFlow(of state: State) -> BaseDataTask.PendingCall? {
        base.record { $0.pause = state.isRunning ? .none : .all }
    }

    private struct State: Sendable {
        private struct Member: Sendable {
            let output: DataTaskOutput
            var isSuspended = true
        }

        private var members: [Int: Member] = [:]
        private var nextTicket = 0
        private var runningCount = 0

        var hasEnded: Bool { members.isEmpty }
        var isRunning: Bool { runningCount > 0 }
        var membersInOrder: [DataTaskOutput] {
            members.count == 1
                ? members.map(\.value.output) : members.sorted { $0.key < $1.key }.map(\.value.output)
        }

        func isSuspended(_ ticket: Int) -> Bool { members[ticket]?.isSuspended ?? false }
        func isAlone(_ ticket: Int) -> Bool { members.count == 1 && members[ticket] != nil }

        mutating func admit(_ output: DataTaskOutput) -> Int {
            defer { nextTicket += 1 }
            members[nextTicket] = Member(output: output)
            return nextTicket
        }

        mutating func setSuspended(_ isSuspended: Bool, _ ticket: Int) {
            guard let member = members[ticket], member.isSuspended != isSuspended else { return }
            members[ticket]?.isSuspended = isSuspended
            runningCount += isSuspended ? -1 : 1
        }

        mutating func remove(_ ticket: Int) -> DataTaskOutput? {
            setSuspended(true, ticket)
            return members.removeValue(forKey: ticket)?.output
        }

        mutating func end() -> [DataTaskOutput] {
            defer { members = [:] }
            return membersInOrder
        }
    }
}
