import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request to a base data source whose response goes to every task that has joined.
///
/// It is made when the first task is resumed. Its base task is paused while all members are suspended, and cancelled
/// when the last one leaves. Nothing is called with a lock held.
final class JointExchange: Sendable {
    /// Takes the response for a task that has joined.
    typealias Member = Outbox<JoiningDataTask.State>

    private let state = Lock(State())
    private let onEnd: @Sendable (JointExchange) -> Void

    private init(onEnd: @escaping @Sendable (JointExchange) -> Void) {
        self.onEnd = onEnd
    }

    /// Makes an exchange that has its first member.
    ///
    /// - Parameter onEnd: runs once, before the members' completions.
    static func opened(
        by member: Member, onEnd: @escaping @Sendable (JointExchange) -> Void
    ) -> Place {
        let exchange = JointExchange(onEnd: onEnd)
        return Place(exchange: exchange, ticket: exchange.state.withLock { $0.admit(member) })
    }

    /// Takes in another member; nil if the exchange has ended. The caller must call `sendSignals()` next.
    func join(_ member: Member) -> Place? {
        let ticket = state.withLock { $0.control.hasEnded ? nil : $0.admit(member) }
        return ticket.map { Place(exchange: self, ticket: $0) }
    }

    /// Sends the request through a base data source, if a member still waits for it.
    func send(_ request: URLRequest, to base: any SessionDataTaskDataSource) {
        if state.withLock({ $0.control.hasEnded }) { return }
        let receipt = Receipt(self)
        let dataTask = base.dataTask(with: request) { receipt($0, $1, $2) }
        let (isWanted, receiver) = state.withLock { ($0.control.begin(dataTask), $0.receiver) }
        guard isWanted else { return dataTask.cancel() }
        if let receiver { Self.stream(dataTask, to: receiver) }
        sendSignals()
    }

    /// Streams to the only member; no other one can join from here on.
    func stream(to receiver: Member) {
        let dataTask = state.withLock { state -> (any DataTask)? in
            if state.control.hasEnded { return nil }
            state.receiver = receiver
            return state.control.current
        }
        if let dataTask { Self.stream(dataTask, to: receiver) }
    }

    private static func stream(_ dataTask: any DataTask, to receiver: Member) {
        dataTask.stream { part in receiver.change { $1.add(part) } }
    }

    /// The base task's progress; after its end, the final one.
    var progress: TransferProgress {
        let (dataTask, report) = state.withLock { ($0.control.current, $0.report) }
        return dataTask?.transferProgress ?? report?.progress ?? TransferProgress()
    }

    var report: TransferReport? { state.withLock { $0.report } }

    /// Makes the calls to the base task that are due, on one thread at a time.
    func sendSignals() {
        CarrierControl.send { isSender in state.withLock { $0.control.nextSignal(isSender: isSender) } }
    }
}

extension JointExchange: EndingReceiver {
    /// Ends the exchange for all its members.
    func receive(_ ending: Ending) {
        let report = state.withLock { $0.control.current }.map { TransferReport($0) }
        // A receipt reports an end once more when it is released.
        let members = state.withLock { state -> [Int: State.Seat]? in
            guard let members = state.end(cancelling: false) else { return nil }
            state.report = report
            return members
        }
        guard let members else { return }
        onEnd(self)
        sendSignals()
        for (_, seat) in members.sorted(by: { $0.key < $1.key }) {
            seat.member.change { $1.end(with: ending) }
        }
    }
}

// MARK: - Members

extension JointExchange {
    /// A member's place in an exchange.
    struct Place: Sendable {
        let exchange: JointExchange
        fileprivate let ticket: Int

        /// Whether the exchange was made for this member, and is to be started.
        var isFirst: Bool { ticket == 0 }

        /// Marks the member as running. The caller must call `sendSignals()` next.
        func resume() { exchange.state.withLock { $0.setSuspended(false, ticket) } }

        /// Marks the member as suspended. The caller must call `sendSignals()` next.
        func suspend() { exchange.state.withLock { $0.setSuspended(true, ticket) } }

        /// Gives up the place; the last member to leave cancels the request. False if the shared end has come already.
        @discardableResult
        func leave() -> Bool { exchange.leave(ticket, evenIfRunning: true) }

        /// Whether no other member waits for the exchange.
        var isAlone: Bool { exchange.state.withLock { $0.members.count == 1 && $0.members[ticket] != nil } }

        /// Gives up the place of a task that can't be resumed any more.
        func leaveIfSuspended() { _ = exchange.leave(ticket, evenIfRunning: false) }
    }

    private func leave(_ ticket: Int, evenIfRunning: Bool) -> Bool {
        // The member is returned, so that its completion is released outside the lock.
        let (member, hasEnded) = state.withLock { state -> (State.Seat?, Bool) in
            guard let member = state.members[ticket], evenIfRunning || member.isSuspended else {
                return (nil, false)
            }
            return (member, state.remove(ticket))
        }
        if member == nil { return false }
        if hasEnded { onEnd(self) }
        sendSignals()
        return true
    }

    /// The members of an exchange, and what its base task should do for them.
    private struct State: Sendable {
        struct Seat: Sendable {
            let member: Member
            var isSuspended = false
        }

        var control = CarrierControl()
        /// The member that gets the parts.
        var receiver: Member?
        /// The base task's progress, metrics and trailers at its end.
        var report: TransferReport?
        /// By ticket, so in the order of joining; empty once the exchange has ended.
        private(set) var members: [Int: Seat] = [:]
        private var nextTicket = 0
        private var runningCount = 0

        /// Takes in a member that runs.
        ///
        /// - Returns: its ticket, 0 for the first one.
        mutating func admit(_ member: Member) -> Int {
            defer { nextTicket += 1 }
            members[nextTicket] = Seat(member: member)
            runningCount += 1
            _ = control.resume()
            return nextTicket
        }

        mutating func setSuspended(_ isSuspended: Bool, _ ticket: Int) {
            guard let member = members[ticket], member.isSuspended != isSuspended else { return }
            members[ticket]?.isSuspended = isSuspended
            runningCount += isSuspended ? -1 : 1
            if runningCount == 0 { control.suspend() } else { _ = control.resume() }
        }

        /// Removes a member; says whether it was the last one, and has ended the exchange.
        mutating func remove(_ ticket: Int) -> Bool {
            setSuspended(true, ticket)
            members[ticket] = nil
            return members.isEmpty && end(cancelling: true) != nil
        }

        /// Ends the exchange, for the first and only time.
        ///
        /// - Returns: the members that waited for it; nil if it has ended before.
        mutating func end(cancelling: Bool) -> [Int: Seat]? {
            guard control.end(cancelling: cancelling) else { return nil }
            // The receiver is one of the members that the caller gets, so it isn't released under the lock.
            defer { (members, receiver) = ([:], nil) }
            return members
        }
    }
}
