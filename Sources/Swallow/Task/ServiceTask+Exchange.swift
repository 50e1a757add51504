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
        send(urlRequest, hop: 0)
    }

    /// Begins a try with the hop of this number.
    private func send(_ urlRequest: consuming URLRequest, hop: Int) {
        guard let credentials = credentials(for: urlRequest) else {
            return begin(urlRequest, hop: hop)
        }
        do {
            if let credential = try credentials.authorizeNow(&urlRequest, clock) {
                return begin(urlRequest, hop: hop, isAuthorized: true, credential: credential)
            }
        } catch {
            return fail(with: ServiceError(thrown: error, request: request), cancelling: true)
        }
        let plain = urlRequest
        authorizeLater(plain, credentials) { [self] authorized in
            if !isWanted(hop: hop) { return }
            begin(plain, as: authorized.request, hop: hop, credential: authorized.credential)
        }
    }

    /// Whether a hop that had to wait is still to be sent.
    private func isWanted(hop: Int) -> Bool {
        core.withLock { $0.exchange.hop == hop && !$0.exchange.control.hasEnded }
    }

    /// Begins a try with a request that has its credential.
    ///
    /// - Parameters:
    ///   - authorized: the request with a credential, where that isn't in `Authorization` alone.
    ///   - credential: the number of the credential that is sent.
    func begin(
        _ urlRequest: URLRequest, as authorized: URLRequest? = nil, hop: Int,
        isAuthorized: Bool = false, credential: Int = 0
    ) {
        let whole = authorized ?? urlRequest
        let sent = downloadSink?.completed(whole) ?? whole
        if mayBeSentAgain {
            // First, since the data source may answer before it returns.
            noteCredential(of: sent)
            let departure = plan.hasCaches ? now : nil
            core.withLock { core in
                if core.exchange.hop == hop {
                    core.exchange.attempt.begin(
                        urlRequest, isAuthorized: isAuthorized, credential: credential)
                }
                if let departure { core.extras?.caching?.sent = departure }
            }
        }
        guard let carriers else {
            if let secretFields = authorized?.fields(changedSince: urlRequest), !secretFields.isEmpty {
                core.withLock { $0.neededExtras.secretFields = secretFields }
            }
            return send(sent, hop: hop, through: dataSource)
        }
        if let problem = sent.problemToSend { return receive(.failure(problem), of: hop) }
        do {
            if let limit = try carriers.open(for: self, clock) { keepLimit(limit, of: hop) }
        } catch {
            return receive(.failure(error), of: hop)
        }
        send(sent, hop: hop, through: carriers)
    }

    /// Sends a hop through a data source that leaves redirects to the task.
    private func send(_ urlRequest: URLRequest, hop: Int, through carriers: any CarrierSource) {
        let carrier = carriers.carrier(for: urlRequest, of: Hop(owner: self, number: hop))
        if start(carrier, of: hop, sending: urlRequest, isAlone: isSentAtOnce && hop == 0) { return }
        // The task may have ended before the source knew of it. A replaced hop must not stop the time limit of its successor.
        let (hasEnded, limit) = core.withLock { core in
            let hasEnded = core.exchange.control.hasEnded
            return (hasEnded, hasEnded ? core.extras?.works.limit.take() : nil)
        }
        if hasEnded { leaveSource(limit) }
    }

    /// Sends a request through a data source of any kind.
    private func send(
        _ urlRequest: URLRequest, hop: Int, through source: any SessionDataTaskDataSource
    ) {
        let receipt = Receipt(Hop(owner: self, number: hop))
        let dataTask = withSenderTerms {
            source.dataTask(with: urlRequest) { data, response, error in receipt(data, response, error) }
        }
        start(dataTask, of: hop)
    }

    /// Tells the caches which credential is sent: without an identity, responses are kept by credential.
    private func noteCredential(of sent: URLRequest) {
        guard plan.hasCaches, let credentials = request.credentials, credentials.cacheField == nil else {
            return
        }
        let field = sent.authorization
        core.withLock { $0.extras?.caching?.noteCredential(field) }
    }

    /// Keeps what the task waits for, to be cancelled at its end.
    private func keep(_ wait: ScheduledWork) {
        core.withLock { $0.keep(wait, as: \.wait) }.cancelIfUnneeded()
    }

    /// Keeps the timer of the data source's limit for a try, unless the try is over.
    private func keepLimit(_ limit: ScheduledWork, of hop: Int) {
        core.withLock { $0.keep(limit, as: \.limit, if: $0.exchange.hop == hop) }.cancelIfUnneeded()
    }
}

// MARK: - The exchange

extension ServiceTask: ExchangeOwner {
    func withExchange<Result>(_ change: (inout Exchange) -> Result) -> Result {
        core.withLock { change(&$0.exchange) }
    }

    func isJudged(after status: Int?) -> Bool {
        mayBeSentAgain || carriers != nil && status.map(RedirectPolicy.isRedirect) == true
    }

    var wantsHeads: Bool { plan.hasCaches && !request.method.isSafe }

    func noteHead(_ head: ResponseHead) { forgetWritten(head.response) }

    var judges: [any Judge] {
        var judges: [any Judge] = []
        if let carriers { judges.append(request.redirects ?? carriers.redirectPolicy) }
        guard mayBeSentAgain else { return judges }
        if let override = core.withLock({ $0.extras?.redirects }) {
            judges.append(RedirectOverrideJudge(override: override))
        }
        if let request = withExchange({ $0.attempt.request }), let credentials = credentials(for: request) {
            judges.append(CredentialJudge(credentials: credentials))
        }
        judges.append(ValidatorJudge())
        let download = downloadSink
        if request.retry.isInUse {
            judges.append(RetryJudge(request: request, download: download, now: now))
        }
        if let download { judges.append(DownloadJudge(sink: download)) }
        return judges
    }

    func deliver(_ item: Exchange.Item) {
        switch item {
        case .part(let part): receive(part)
        case .end(let ending): receive(ending)
        }
    }

    func fail(with error: any Error, hasEnded: Bool) {
        fail(with: ServiceError(transport: error, request: request), cancelling: !hasEnded)
    }

    func send(_ again: Exchange.Again, after finding: Exchange.Finding, as hop: Int) {
        if let next = again.request { return follow(next, after: finding, hop: hop) }
        let (attempt, limit) = core.withLock { core in
            if again.cause == .validation { core.extras?.caching?.asksAnew() }
            return (core.exchange.attempt, core.extras?.works.limit.take())
        }
        leaveSource(limit)
        let plain = attempt.plainRequest
        guard let urlRequest = again.cause == .validation ? plain?.withoutValidators : plain else {
            return receive(.failure(URLError(.unknown)), of: hop)
        }
        if again.cause != .range { log?.retries(attempt.rejected + 1, after: again.delay, finding) }
        noteBodyMayGoOn()
        if again.delay == .zero { return send(urlRequest, hop: hop) }
        keep(
            request.retry.schedule(after: again.delay, for: finding.error, by: clock) { [self] in
                if !isWanted(hop: hop) { return }
                noteBodyMayGoOn()
                send(urlRequest, hop: hop)
            })
    }

    /// Sends the request that follows from a redirect.
    private func follow(_ urlRequest: URLRequest, after finding: Exchange.Finding, hop: Int) {
        guard let carriers else { return receive(.failure(URLError(.unknown)), of: hop) }
        if let response = finding.response { noteRedirect(response) }
        var next = urlRequest
        prepareRedirect?(&next)
        if let problem = next.problemToSend { return receive(.failure(problem), of: hop) }
        send(next, hop: hop, through: carriers)
    }

    /// Ends the data source's part in this try.
    ///
    /// - Parameter limit: the timer to cancel.
    func leaveSource(_ limit: ScheduledWork?) {
        limit?.cancel()
        carriers?.openExchanges.remove(self)
    }

    func callCarrier(_ body: () -> Void) {
        if carriers == nil { withSenderTerms(body) } else { body() }
    }
}

// MARK: - Authorizing

extension ServiceTask {
    /// The credentials for a request; none if `adaptRequest` has changed its origin.
    private func credentials(for urlRequest: URLRequest) -> (any CredentialSource)? {
        guard let credentials = request.credentials else { return nil }
        if request.adapters.isEmpty { return credentials }
        let home = URL(string: request.urlString).flatMap(Origin.init)
        return urlRequest.url.flatMap(Origin.init) == home ? credentials : nil
    }

    /// Sends a request unless a cache has its response. Caches look it up by the user's identity or, if that isn't known, by
    /// the credential, which then has to come first.
    func beginWithCredential(_ urlRequest: URLRequest) {
        guard let credentials = credentials(for: urlRequest) else { return beginWithCaches(urlRequest) }
        if let field = credentials.cacheField { return beginWithCaches(urlRequest.authorized(by: field)) }
        do {
            var authorized = urlRequest
            if try credentials.authorizeNow(&authorized, clock) != nil {
                return beginWithCaches(urlRequest.authorized(by: authorized.authorization))
            }
        } catch {
            return fail(with: ServiceError(thrown: error, request: request), cancelling: true)
        }
        authorizeLater(urlRequest, credentials) { [self] authorized in
            beginWithCaches(urlRequest.authorized(by: authorized.request.authorization))
        }
    }

    /// Goes on with a request once there is a credential for it.
    private func authorizeLater(
        _ urlRequest: URLRequest, _ credentials: any CredentialSource,
        _ goOn: @escaping @Sendable (AuthorizedRequest) -> Void
    ) {
        let wait = credentials.authorized(urlRequest, clock, caller) { [self] result in
            switch result {
            case .success(let authorized): goOn(authorized)
            case .failure(let error):
                fail(with: ServiceError(thrown: error, request: request), cancelling: true)
            }
        }
        keep(wait)
    }
}

extension URLRequest {
    /// The names of the header fields that differ from another request's.
    fileprivate func fields(changedSince plain: URLRequest) -> [String] {
        let (fields, plainFields) = (allHTTPHeaderFields ?? [:], plain.allHTTPHeaderFields ?? [:])
        return fields.filter { plainFields[$0.key] != $0.value }.map(\.key)
    }
}
