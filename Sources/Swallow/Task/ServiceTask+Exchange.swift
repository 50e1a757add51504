import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// MARK: - Sending

extension ServiceTask {
    /// Sends a request for the first time.
    func sendFirst(_ urlRequest: consuming URLRequest) {
        log?.sent()
        if plan.hasCaches, let field = request.credentials?.cacheField, urlRequest.authorization == field {
            urlRequest.authorize(by: nil)
        }
        send(urlRequest, as: 0)
    }

    /// Starts the attempt that begins with the transfer of this number.
    private func send(_ urlRequest: consuming URLRequest, as number: Int) {
        guard let credentials = credentials(for: urlRequest) else {
            return begin(urlRequest, number: number)
        }
        do {
            if let credential = try credentials.authorizeNow(&urlRequest, clock) {
                return begin(urlRequest, number: number, isAuthorized: true, credential: credential)
            }
        } catch {
            return fail(with: ServiceError(thrown: error, request: request))
        }
        let plain = urlRequest
        authorizeLater(plain, credentials) { [self] authorized in
            if !isWanted(number) { return }
            begin(plain, as: authorized.request, number: number, credential: authorized.credential)
        }
    }

    /// Whether a delayed transfer must still be sent.
    private func isWanted(_ number: Int) -> Bool {
        core.withLock { $0.exchange.number == number && !$0.exchange.isComplete }
    }

    /// Starts an attempt with a request that has its credential.
    ///
    /// - Parameters:
    ///   - authorized: The request with a credential, if more than its `Authorization` field has changed.
    ///   - credential: The number of the credential that is sent.
    func begin(
        _ urlRequest: URLRequest, as authorized: URLRequest? = nil, number: Int,
        isAuthorized: Bool = false, credential: Int = 0
    ) {
        let whole = authorized ?? urlRequest
        let sent = downloadSink?.completed(whole) ?? whole
        if mayBeSentAgain {
            // This must happen first, because the data source may respond before it returns.
            noteCredential(of: sent)
            let departure = plan.hasCaches ? now : nil
            core.withLock { core in
                if core.exchange.number == number {
                    core.exchange.attempt.begin(
                        urlRequest, isAuthorized: isAuthorized, credential: credential)
                }
                if let departure { core.extras?.caching?.sent = departure }
            }
        }
        guard let transferSource else {
            if let secretFields = authorized?.fields(changedSince: urlRequest), !secretFields.isEmpty {
                core.withLock { $0.neededExtras.secretFields = secretFields }
            }
            let transfer = withSenderTerms {
                DataTaskTransfer(sent, through: dataSource, to: receiver(number))
            }
            begin(transfer, number: number)
            return
        }
        do {
            let permit = try transferSource.beginAttempt(clock)
            guard core.withLock({ $0.exchange.takePermit(permit, number: number) }) else {
                return permit.end()
            }
            let transfer = transferSource.transfer(for: sent, of: permit, to: receiver(number))
            begin(transfer, number: number, sending: sent)
        } catch {
            begin(FailedTransfer(error, receiver(number)), number: number, sending: sent)
        }
    }

    private func receiver(_ number: Int) -> TransferReceiver { TransferReceiver(owner: self, number: number) }

    /// Passes the sent credential to the caches. If there is no identity, they store responses under the credential.
    private func noteCredential(of sent: URLRequest) {
        guard plan.hasCaches, let credentials = request.credentials, credentials.cacheField == nil else {
            return
        }
        let field = sent.authorization
        core.withLock { $0.extras?.caching?.noteCredential(field) }
    }

    /// Stores work that the task waits for. It is cancelled when the task completes.
    private func keep(_ wait: ScheduledWork) {
        core.withLock { $0.keep(wait, as: \.wait) }.cancelIfUnneeded()
    }
}

// MARK: - The exchange

extension ServiceTask: ExchangeOwner {
    func withExchange<Result>(_ change: (inout Exchange) -> Result) -> Result {
        core.withLock { change(&$0.exchange) }
    }

    func needsDecision(on head: ResponseHead?) -> Bool {
        guard let head else { return mayBeSentAgain }
        if transferSource != nil, RedirectPolicy.isRedirect(head.statusCode) { return true }
        if head.isSuccess, wantsHeads { return true }
        return mayBeSentAgain && !isFinalSuccess(head)
    }

    /// Whether caches must learn of the head of a success before its body has ended.
    var wantsHeads: Bool { plan.hasCaches && !request.method.isSafe }

    var policies: [any FollowUpPolicy] {
        var policies: [any FollowUpPolicy] = []
        if let transferSource { policies.append(request.redirects ?? transferSource.redirectPolicy) }
        guard mayBeSentAgain else { return policies }
        if let override = core.withLock({ $0.extras?.redirects }) {
            policies.append(RedirectOverridePolicy(override: override))
        }
        if let request = withExchange({ $0.attempt.request }), let credentials = credentials(for: request) {
            policies.append(CredentialPolicy(credentials: credentials))
        }
        policies.append(ValidationPolicy())
        let download = downloadSink
        if request.retry.isInUse {
            policies.append(RetryFollowUpPolicy(request: request, download: download, now: now))
        }
        if let download { policies.append(RangePolicy(sink: download)) }
        return policies
    }

    var mustLeaveTransferThread: Bool { transferSource?.leaveTransferThread != nil }

    func leaveTransferThread(_ body: @escaping @Sendable () -> Void) {
        if let leave = transferSource?.leaveTransferThread { leave(body) } else { body() }
    }

    func deliver(_ head: ResponseHead) {
        if wantsHeads, head.isSuccess { forgetWritten(head.response) }
        if withExchange({ !$0.deliversParts }) { return }
        noteBodyMayGoOn()
        beginBody(after: head.response)
    }

    func failExchange(with error: any Error) {
        fail(with: ServiceError(transport: error, request: request))
    }

    func send(_ followUp: FollowUp, after outcome: TransferOutcome, as number: Int) {
        if let next = followUp.request { return follow(next, as: number) }
        let (attempt, permit) = core.withLock { core in
            if followUp.cause == .validation { core.extras?.caching?.removedValidators() }
            return (core.exchange.attempt, core.exchange.releasePermit())
        }
        permit?.end()
        let plain = attempt.plainRequest
        guard let urlRequest = followUp.cause == .validation ? plain?.withoutValidators : plain else {
            return failExchange(with: URLError(.unknown))
        }
        if followUp.cause != .range { log?.retries(attempt.rejected + 1, after: followUp.delay, outcome) }
        noteBodyMayGoOn()
        if followUp.delay == .zero { return send(urlRequest, as: number) }
        keep(
            request.retry.schedule(after: followUp.delay, for: outcome.error, by: clock) { [self] in
                if !isWanted(number) { return }
                noteBodyMayGoOn()
                send(urlRequest, as: number)
            })
    }

    /// Sends the request that follows from a redirect.
    private func follow(_ urlRequest: URLRequest, as number: Int) {
        guard let transferSource, let permit = core.withLock({ $0.exchange.permit }) else { return }
        var next = urlRequest
        prepareRedirect?(&next)
        begin(
            transferSource.transfer(for: next, of: permit, to: receiver(number)), number: number,
            sending: next)
    }

    func callTransfer(_ body: () -> Void) {
        if transferSource == nil { withSenderTerms(body) } else { body() }
    }
}

extension ResponseHead {
    var isSuccess: Bool { (200..<300).contains(statusCode) }
}

// MARK: - Authorizing

extension ServiceTask {
    /// The credentials for a request, or `nil` if `adaptRequest` has changed its origin.
    private func credentials(for urlRequest: URLRequest) -> (any CredentialSource)? {
        guard let credentials = request.credentials else { return nil }
        if request.adapters.isEmpty { return credentials }
        let home = URL(string: request.urlString).flatMap(Origin.init)
        return urlRequest.url.flatMap(Origin.init) == home ? credentials : nil
    }

    /// Sends a request unless a cache has its response. Caches look the response up by the user's identity. If the
    /// identity is unknown, they need the credential, so the request is authorized first.
    func beginWithCredential(_ urlRequest: URLRequest) {
        guard let credentials = credentials(for: urlRequest) else { return beginWithCaches(urlRequest) }
        if let field = credentials.cacheField { return beginWithCaches(urlRequest.authorized(by: field)) }
        do {
            var authorized = urlRequest
            if try credentials.authorizeNow(&authorized, clock) != nil {
                return beginWithCaches(urlRequest.authorized(by: authorized.authorization))
            }
        } catch {
            return fail(with: ServiceError(thrown: error, request: request))
        }
        authorizeLater(urlRequest, credentials) { [self] authorized in
            beginWithCaches(urlRequest.authorized(by: authorized.request.authorization))
        }
    }

    /// Continues with a request after it has received a credential.
    private func authorizeLater(
        _ urlRequest: URLRequest, _ credentials: any CredentialSource,
        _ goOn: @escaping @Sendable (AuthorizedRequest) -> Void
    ) {
        let wait = credentials.authorized(urlRequest, clock, caller) { [self] result in
            switch result {
            case .success(let authorized): goOn(authorized)
            case .failure(let error):
                fail(with: ServiceError(thrown: error, request: request))
            }
        }
        keep(wait)
    }
}

extension URLRequest {
    /// The names of the header fields that differ from another request.
    fileprivate func fields(changedSince plain: URLRequest) -> [String] {
        let (fields, plainFields) = (allHTTPHeaderFields ?? [:], plain.allHTTPHeaderFields ?? [:])
        return fields.filter { plainFields[$0.key] != $0.value }.map(\.key)
    }
}
