import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Asks for another attempt if the server rejected the credential and may accept another one.
struct CredentialJudge: Judge {
    let credentials: any CredentialSource

    func verdict(on finding: Exchange.Finding, in exchange: Exchange) -> Exchange.Verdict? {
        let attempt = exchange.attempt
        guard case .head(let head) = finding, !exchange.isAccepted, let sent = attempt.request,
            let use = exchange.credentialUse
        else { return nil }
        switch credentials.verdict(on: head.response, to: sent, use) {
        case .refused where attempt.refusals == 0 && sent.canBeSentAgain,
            .again where attempt.refusals < Attempt.refusalLimit && sent.canBeSentAgain:
            return .again(Exchange.Again(cause: .refusal))
        case .accepted, .refused, .again: return nil
        }
    }
}

extension Exchange {
    /// The attempt's credential as the current transfer has sent it; nil if a redirect to another origin has removed the
    /// credential before, even if a later redirect led back.
    var credentialUse: CredentialUse? {
        let attempt = attempt
        guard let sent = attempt.request else { return nil }
        let current = request ?? sent
        if !redirects.isEmpty {
            let home = sent.url.flatMap(Origin.init)
            let requests = redirects.map(\.request) + [current]
            if requests.contains(where: { $0.url.flatMap(Origin.init) != home }) { return nil }
        }
        return CredentialUse(
            number: attempt.credential, rejectedNumber: attempt.refusedCredential, request: current)
    }
}

/// Asks for another try, without validators, after a 304 that doesn't confirm the response they belong to.
struct ValidatorJudge: Judge {
    func verdict(on finding: Exchange.Finding, in exchange: Exchange) -> Exchange.Verdict? {
        guard case .head(let head) = finding, head.statusCode == 304, !exchange.isAccepted,
            let validators = exchange.attempt.validators, !validators.areConfirmed(by: head.response)
        else { return nil }
        return .again(Exchange.Again(cause: .validation))
    }
}

/// Asks for another try as the retry policy says.
struct RetryJudge: Judge {
    let request: Request
    let download: DownloadSink?
    let now: Date

    func verdict(on finding: Exchange.Finding, in exchange: Exchange) -> Exchange.Verdict? {
        let attempt = exchange.attempt
        // Once a body comes in parts, only a download can continue it in another try.
        if exchange.isAccepted, exchange.isStreamed, download?.canGoOn != true { return nil }
        guard let sent = request.retry.decide == nil ? attempt.request : attempt.plainRequest else {
            return nil
        }
        let known = RetryPolicy.Attempt(
            request: sent, response: finding.response, error: finding.error, retries: attempt.retries,
            offlineRetries: attempt.offlineRetries)
        let wait = request.retry.wait(
            after: known,
            canBeSentAgain: sent.canBeSentAgain, now: now
        ) { wait in
            // Once a body comes in parts, the timeout is for the time without a byte.
            if exchange.isAccepted, exchange.isStreamed { return request.timeout.map { wait < $0 } ?? true }
            guard let end = attempt.end else { return true }
            return now.addingTimeInterval(wait.seconds) < end
        }
        let cause: Exchange.Cause = request.retry.isOffline(after: known) ? .offline : .retry
        return wait.map { .again(Exchange.Again(cause: cause, delay: $0)) }
    }
}

/// Decides whether a response continues what a download has.
struct DownloadJudge: Judge {
    let sink: DownloadSink

    func verdict(on finding: Exchange.Finding, in exchange: Exchange) -> Exchange.Verdict? {
        guard case .head(let head) = finding, !exchange.isAccepted else { return nil }
        return sink.verdict(on: head.response)
    }
}
