import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

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

/// Fails a response if its data source ignored the request's own redirect policy.
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
    /// `nil` after a redirect to another origin. It removed the credential, and a redirect back doesn't restore it.
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
        // After body parts were delivered, only a download can resume in another attempt.
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
            // After body parts were delivered, the timeout limits only the time without a byte.
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
