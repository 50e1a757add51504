import Foundation

/// Decides, when a head arrives or a transfer fails, whether that outcome is final or which request is sent next.
protocol FollowUpPolicy: Sendable {
    /// Called without a lock. Returns `nil` to leave the decision to the next policy.
    func decision(on outcome: TransferOutcome, in exchange: Exchange) -> FollowUpDecision?
}

enum TransferOutcome: Sendable {
    case head(ResponseHead)
    /// The transfer failed before a head was accepted. The head, if any, was delivered with the error.
    case failure(any Error, ResponseHead?)
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
    /// The head is accepted, or the failure is the result of the exchange.
    case final
    case fail(any Error)
    case sendAgain(FollowUp)
}

struct FollowUp: Sendable {
    enum Cause: Sendable {
        case redirect
        case retry
        case offline
        case rejectedCredential
        case range
        /// A 304 doesn't match the validators that were sent, so the next request has no validators.
        case validation
    }

    let cause: Cause
    var delay = Duration.zero
    /// The request of a redirect. `nil` for other causes.
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

/// A request's own redirect policy, and whether a data source has taken it.
package final class RedirectOverride: Sendable {
    private let policy: RedirectPolicy
    private let isTaken = Lock(false)

    init(_ policy: RedirectPolicy) {
        self.policy = policy
    }

    package func take() -> RedirectPolicy {
        isTaken.withLock { $0 = true }
        return policy
    }

    var wasTaken: Bool { isTaken.withLock { $0 } }

    static let ignoredError = ServiceError(
        .invalidRequest,
        detail: "the data source follows redirects itself, so .redirects has no effect on it")
}

extension RedirectPolicy: FollowUpPolicy {
    func decision(on outcome: TransferOutcome, in exchange: Exchange) -> FollowUpDecision? {
        guard case .head(let head) = outcome, Self.isRedirect(head.statusCode), let request = exchange.request
        else { return nil }
        do {
            let next = try self.request(after: head.response, to: request, count: exchange.redirects.count)
            return next.map { .sendAgain(FollowUp(cause: .redirect, request: $0)) }
        } catch {
            return .fail(error)
        }
    }
}

struct RedirectOverridePolicy: FollowUpPolicy {
    let override: RedirectOverride

    func decision(on outcome: TransferOutcome, in exchange: Exchange) -> FollowUpDecision? {
        guard case .head = outcome, !override.wasTaken else { return nil }
        return .fail(RedirectOverride.ignoredError)
    }
}

struct CredentialPolicy: FollowUpPolicy {
    let credentials: any CredentialSource

    func decision(on outcome: TransferOutcome, in exchange: Exchange) -> FollowUpDecision? {
        let attempt = exchange.attempt
        guard case .head(let head) = outcome, let sent = attempt.request,
            let use = exchange.credentialUse
        else { return nil }
        switch credentials.decision(on: head.response, to: sent, use) {
        case .rejected where attempt.credentialRejections == 0 && sent.canBeSentAgain,
            .again
        where attempt.credentialRejections < Attempt.credentialRejectionLimit && sent.canBeSentAgain:
            return .sendAgain(FollowUp(cause: .rejectedCredential))
        case .accepted, .rejected, .again: return nil
        }
    }
}

extension Exchange {
    /// `nil` if the attempt has no request, or one of its redirects led to another origin.
    var credentialUse: CredentialUse? {
        let attempt = attempt
        guard let sent = attempt.request else { return nil }
        let current = request ?? sent
        if !redirects.isEmpty {
            let origin = sent.url.flatMap(Origin.init)
            let requests = redirects.map(\.request) + [current]
            if requests.contains(where: { $0.url.flatMap(Origin.init) != origin }) { return nil }
        }
        return CredentialUse(
            number: attempt.credential, rejectedNumber: attempt.rejectedCredential, request: current)
    }
}

struct ValidationPolicy: FollowUpPolicy {
    func decision(on outcome: TransferOutcome, in exchange: Exchange) -> FollowUpDecision? {
        guard case .head(let head) = outcome, head.statusCode == 304,
            let validators = exchange.attempt.validators, !validators.areConfirmed(by: head.response)
        else { return nil }
        return .sendAgain(FollowUp(cause: .validation))
    }
}

struct RetryFollowUpPolicy: FollowUpPolicy {
    let request: Request
    let download: DownloadSink?
    let now: Date

    func decision(on outcome: TransferOutcome, in exchange: Exchange) -> FollowUpDecision? {
        let attempt = exchange.attempt
        // If the body is delivered in parts, only a download can resume it in another attempt.
        let isPartlyDelivered = outcome.isInterruption && exchange.deliversParts
        if isPartlyDelivered, download?.canResume != true { return nil }
        guard let sent = request.retry.decide == nil ? attempt.request : attempt.plainRequest else {
            return nil
        }
        let attempted = RetryPolicy.Attempt(
            request: sent, response: outcome.head?.response, error: outcome.error, retries: attempt.retries,
            offlineRetries: attempt.offlineRetries)
        let delay = request.retry.delay(
            after: attempted,
            canBeSentAgain: sent.canBeSentAgain, now: now
        ) { delay in
            // While the body is delivered in parts, the timeout limits only the time without a byte.
            if isPartlyDelivered { return request.timeout.map { delay < $0 } ?? true }
            guard let end = attempt.end else { return true }
            return now.addingTimeInterval(delay.seconds) < end
        }
        let cause: FollowUp.Cause = request.retry.isOffline(after: attempted) ? .offline : .retry
        return delay.map { .sendAgain(FollowUp(cause: cause, delay: $0)) }
    }
}

struct RangePolicy: FollowUpPolicy {
    let sink: DownloadSink

    func decision(on outcome: TransferOutcome, in exchange: Exchange) -> FollowUpDecision? {
        guard case .head(let head) = outcome else { return nil }
        return sink.decision(on: head.response)
    }
}
