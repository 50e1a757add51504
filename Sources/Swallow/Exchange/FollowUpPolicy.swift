import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Decides, when a head arrives or a transfer fails, whether that outcome is final or which request is sent next.
protocol FollowUpPolicy: Sendable {
    /// Called without a lock. Returns `nil` to leave the decision to the next policy.
    func decision(on outcome: TransferOutcome, in exchange: Exchange) -> FollowUpDecision?
}

enum TransferOutcome: Sendable {
    case head(ResponseHead)
    /// The transfer failed before a head was accepted. The head, if any, arrived together with the error.
    case failure(any Error, ResponseHead?)
    /// The transfer failed after its head was accepted.
    case interruption(any Error, ResponseHead)

    var head: ResponseHead? { if case .head(let head) = self { head } else { nil } }

    var error: (any Error)? {
        switch self {
        case .head: nil
        case .failure(let error, _), .interruption(let error, _): error
        }
    }

    var isInterruption: Bool { if case .interruption = self { true } else { false } }
}

enum FollowUpDecision: Sendable {
    /// The outcome is the task's own response or failure.
    case final
    case fail(any Error)
    case sendAgain(FollowUp)
}

struct FollowUp: Sendable {
    enum Cause: Sendable {
        case redirect
        case retry
        /// A retry because the network is unreachable.
        case offline
        case rejectedCredential
        /// The response doesn't continue the partial file of a download.
        case range
        /// The 304 confirms another response than the one whose validators were sent.
        case validation
    }

    let cause: Cause
    var delay = Duration.zero
    /// Only set for redirects. Otherwise the attempt's own request is sent.
    var request: URLRequest?
}

extension [any FollowUpPolicy] {
    func decision(on outcome: TransferOutcome, in exchange: Exchange) -> FollowUpDecision {
        for policy in self {
            if let decision = policy.decision(on: outcome, in: exchange) { return decision }
        }
        return .final
    }
}
