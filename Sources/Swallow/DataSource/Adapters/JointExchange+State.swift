extension JointExchange {
    /// Who waits for an exchange, and what that makes its base task do.
    struct State: Sendable {
        struct Member: Sendable {
            let answer: Answer
            var isSuspended = false
        }

        typealias Ended = (members: [Int: Member], preparation: Task<Void, Never>?)

        var transfer = TransferState()
        var preparation: Task<Void, Never>?
        /// By ticket, so in the order of joining; empty once the exchange has ended.
        private(set) var members: [Int: Member] = [:]
        private var nextTicket = 0
        private var runningCount = 0

        /// Takes in a member that runs.
        ///
        /// - Returns: its ticket, 0 for the first one.
        mutating func admit(_ answer: Answer) -> Int {
            defer { nextTicket += 1 }
            members[nextTicket] = Member(answer: answer)
            runningCount += 1
            _ = transfer.resume()
            return nextTicket
        }

        mutating func setSuspended(_ isSuspended: Bool, _ ticket: Int) {
            guard let member = members[ticket], member.isSuspended != isSuspended else { return }
            members[ticket]?.isSuspended = isSuspended
            runningCount += isSuspended ? -1 : 1
            if runningCount == 0 { transfer.suspend() } else { _ = transfer.resume() }
        }

        /// Removes a member; the last one ends the exchange.
        mutating func remove(_ ticket: Int) -> Ended? {
            setSuspended(true, ticket)
            members[ticket] = nil
            return members.isEmpty ? end(cancelling: true) : nil
        }

        /// Ends the exchange, for the first and only time.
        ///
        /// - Returns: what to settle then; nil if it has ended before.
        mutating func end(cancelling: Bool) -> Ended? {
            guard transfer.end(cancelling: cancelling) else { return nil }
            let ended = (members, preparation)
            members = [:]
            preparation = nil
            return ended
        }
    }
}
