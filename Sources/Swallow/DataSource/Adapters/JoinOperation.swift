import Foundation

/// Joins an identical request's ``JointExchange``, if any, when first resumed. A streaming task shares no request.
final class JoinOperation: DataTaskOperation {
    private let key: CoalescingKey
    private let source: any SessionDataTaskDataSource
    private let exchanges: CoalescedExchanges
    private let output: DataTaskOutput
    private let joined = Lock<JointExchange?>(nil)

    init(
        _ key: CoalescingKey, _ source: any SessionDataTaskDataSource, _ exchanges: CoalescedExchanges,
        _ output: DataTaskOutput
    ) {
        (self.key, self.source, self.exchanges, self.output) = (key, source, exchanges, output)
    }

    deinit {
        // A suspended task can't be resumed after its release.
        exchange?.leave(output, evenIfRunning: false)
    }

    func start(inParts: Bool) {
        if inParts { return startAlone(isSuspended: false) }
        let (exchange, isFirst) = exchanges.join(key, output)
        joined.withLock { $0 = exchange }
        exchange.setSuspended(false, output)
        if isFirst { exchange.send(key.request, to: source) }
    }

    func deliverParts() {
        guard let exchange else { return }
        if exchanges.close(key, exchange, ifOnly: output) { return exchange.deliverParts() }
        let isSuspended = exchange.isSuspended(output)
        // If the joint exchange is completing already, the task receives its result.
        if exchange.leave(output) { startAlone(isSuspended: isSuspended) }
    }

    func suspend() { exchange?.setSuspended(true, output) }
    func resume() { exchange?.setSuspended(false, output) }
    func cancel() { joined.withLock { $0.take() }?.leave(output) }

    var facts: TransferFacts { exchange?.facts ?? TransferFacts() }

    private var exchange: JointExchange? { joined.withLock { $0 } }

    private func startAlone(isSuspended: Bool) {
        let exchange = JointExchange(output) { _ in }
        _ = joined.withLock { current in
            defer { current = exchange }
            return current
        }
        exchange.deliverParts()
        if !isSuspended { exchange.setSuspended(false, output) }
        exchange.send(key.request, to: source)
    }
}

/// One request that tasks can share. It is suspended while all are suspended, and cancelled when all have left.
final class JointExchange: ResponseReceiver {
    private struct Member: Sendable {
        let output: DataTaskOutput
        var isSuspended = true
    }

    private let base = BaseDataTask()
    /// The members in the order in which they joined. Empty when the exchange is over.
    private let members: Lock<[Member]>
    private let onEnd: @Sendable (JointExchange) -> Void

    /// Creates an exchange with a suspended member. `onEnd` runs once, when it completes or all members have left.
    init(_ output: DataTaskOutput, onEnd: @escaping @Sendable (JointExchange) -> Void) {
        members = Lock([Member(output: output)])
        self.onEnd = onEnd
    }

    /// Adds a suspended member. Returns `false` if the exchange is over.
    func join(_ output: DataTaskOutput) -> Bool {
        members.withLock { members in
            if members.isEmpty { return false }
            members.append(Member(output: output))
            return true
        }
    }

    func send(_ request: URLRequest, to source: any SessionDataTaskDataSource) {
        base.send(request, to: source, for: self)
    }

    func deliverParts() { base.deliverParts() }

    var facts: TransferFacts { base.facts }

    func receive(_ part: ResponsePart) {
        for member in members.withLock({ $0 }) { member.output.receive(part) }
    }

    func receive(_ result: DataTaskResult) {
        let members = members.withLock { members in
            defer { members = [] }
            return members
        }
        if members.isEmpty { return }
        onEnd(self)
        for member in members { member.output.receive(result) }
    }
}

extension JointExchange {
    func isOnly(_ output: DataTaskOutput) -> Bool {
        members.withLock { $0.count == 1 && $0[0].output === output }
    }

    func isSuspended(_ output: DataTaskOutput) -> Bool {
        members.withLock { $0.contains { $0.output === output && $0.isSuspended } }
    }

    func setSuspended(_ isSuspended: Bool, _ output: DataTaskOutput) {
        let pendingCall = members.withLock { members -> BaseDataTask.PendingCall? in
            guard let index = index(of: output, in: members) else { return nil }
            members[index].isSuspended = isSuspended
            return recordFlow(of: members)
        }
        pendingCall?.make()
    }

    /// Returns `false` if the member is running and stays, if it has left before, or if the exchange is over.
    @discardableResult
    func leave(_ output: DataTaskOutput, evenIfRunning: Bool = true) -> Bool {
        let (hasLeft, hasEnded, pendingCall) = members.withLock {
            members -> (Bool, Bool, BaseDataTask.PendingCall?) in
            guard let index = index(of: output, in: members), evenIfRunning || members[index].isSuspended
            else { return (false, false, nil) }
            members.remove(at: index)
            return (true, members.isEmpty, recordFlow(of: members))
        }
        if hasEnded { onEnd(self) }
        pendingCall?.make()
        return hasLeft
    }

    private func recordFlow(of members: [Member]) -> BaseDataTask.PendingCall? {
        base.record { wanted in
            wanted.pause = members.allSatisfy(\.isSuspended) ? .all : .none
            wanted.isCancelled = members.isEmpty
        }
    }

    private func index(of output: DataTaskOutput, in members: [Member]) -> Int? {
        members.lastIndex { $0.output === output }
    }
}
