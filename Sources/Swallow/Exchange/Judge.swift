/// Decides, at the head of a hop or at its end without one, whether it is the last.
///
/// An exchange's owner asks its judges in their order, without a lock held, on the thread that has the finding.
protocol Judge: Sendable {
    /// - Returns: nil leaves it to the next judge; where none has a say, the hop is accepted.
    func verdict(on finding: Exchange.Finding, in exchange: Exchange) -> Exchange.Verdict?
}

extension [any Judge] {
    func verdict(on finding: Exchange.Finding, in exchange: Exchange) -> Exchange.Verdict {
        for judge in self {
            if let verdict = judge.verdict(on: finding, in: exchange) { return verdict }
        }
        return .accept
    }
}
