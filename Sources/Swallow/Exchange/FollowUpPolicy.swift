import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Decides, when a head arrives or a transfer fails, whether that outcome is final or which request is sent next.
protocol FollowUpPolicy: Sendable {
    /// Called without a lock.
    ///
    /// - Parameter exchange: The exchange's state at the outcome.
    /// - Returns: `nil` to leave the decision to the next policy.
    func decision(on outcome: TransferOutcome, in exchange: Exchange) -> FollowUpDecision?
}

/// The head or the failure on which follow-up policies decide.
enum TransferOutcome: Sendable {
    case head(ResponseHead)
    /// The transfer failed before a head was accepted. The head is one that arrived together with the error.
    case failure(any Error, ResponseHead?)
    /// The transfer failed after its head was accepted.
    case interruption(any Error, ResponseHead)

    /// The head, unless the transfer failed.
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
    /// The response or the failure is the task's own.
    case final
    /// The exchange fails with another error.
    case fail(any Error)
    case sendAgain(FollowUp)
}

/// A request that is sent in place of the current transfer's.
struct FollowUp: Sendable {
    enum Cause: Sendable {
        case redirect
        /// The retry policy decided it.
        case retry
        /// The retry policy decided it, because the network is unreachable.
        case offline
        /// The server rejected the credential.
        case rejectedCredential
        /// The response doesn't continue the bytes that a download has.
        case range
        /// The 304 confirms another response than the one whose validators were sent.
        case validation
    }

    let cause: Cause
    var delay = Duration.zero
    /// The request that a redirect leads to. It is `nil` for the attempt's request.
    var request: URLRequest?
}

extension [any FollowUpPolicy] {
    /// Returns the decision of the first policy that has one.
    func decision(on outcome: TransferOutcome, in exchange: Exchange) -> FollowUpDecision {
        for policy in self {
            if let decision = policy.decision(on: outcome, in: exchange) { return decision }
        }
        return .final
    }
}
