import Foundation

extension ServiceTask {
    func start() {
        do throws(ServiceError) {
            var encoded = try request.encoded()
            request.retry.addIdempotencyKey(to: &encoded)
            if !mayEndBeforeSending { storeCaller() }
            if let timeout = request.timeout { startDeadline(timeout) }
            if request.adaptsLater { return adaptLater(encoded) }
            if !request.adapters.isEmpty { encoded = try request.adapted(encoded) }
            sendAdapted(encoded)
        } catch {
            end(with: PipelineAdapter(failure: error, plan))
        }
    }

    private func adaptLater(_ urlRequest: URLRequest) {
        let adaptation = Caller.startTask(for: nil) { [self] in
            do throws(ServiceError) {
                let adapted = try await request.adaptedLater(urlRequest)
                if isWanted(0) { sendAdapted(adapted) }
            } catch {
                end(with: PipelineAdapter(failure: error, plan))
            }
        }
        core.withLock { $0.store(adaptation, as: \.adaptation) }.cancelIfUnneeded()
    }

    private func sendAdapted(_ urlRequest: consuming URLRequest) {
        log?.built(urlRequest, form: request.multipartForm)
        guard plan.hasCaches else { return sendWithoutCaches(urlRequest) }
        guard let credentials = credentials(for: urlRequest) else { return beginWithCaches(urlRequest) }
        if let field = credentials.cacheField { return beginWithCaches(urlRequest.authorized(by: field)) }
        // Without the user's identity, caches look responses up by `Authorization`.
        let plain = urlRequest
        authorize(plain, by: credentials) { [self] authorized, _ in
            beginWithCaches(plain.authorized(by: authorized.request.authorization))
        }
    }

    func sendWithoutCaches(_ urlRequest: consuming URLRequest) {
        if cachePolicy == .onlyCache {
            return end(with: PipelineAdapter(failure: .notCached(request), plan))
        }
        // A resource's load must reach the server and not the data source's own cache.
        if context?.load != nil { urlRequest.cachePolicy = .reloadIgnoringLocalCacheData }
        guard let validators, let conditional = validators.added(to: urlRequest) else {
            return sendFirstAttempt(urlRequest)
        }
        sendFirstAttempt(conditional, validating: validators)
    }

    func sendFirstAttempt(
        _ urlRequest: consuming URLRequest, validating validators: Validators? = nil
    ) {
        if mayBeSentAgain {
            if let validators {
                let validators = validators.of(urlRequest.url)
                core.withLock { $0.exchange.attempt.validate(with: validators) }
            }
            if plan.hasCaches, let field = request.credentials?.cacheField, urlRequest.authorization == field
            {
                urlRequest.authorize(by: nil)
            }
            if let downloadSink {
                return downloadSink.open(for: urlRequest) { [self, urlRequest] error in
                    if let error { return failBody(with: ServiceError(thrown: error, request: request)) }
                    sendAttempt(urlRequest, as: 0)
                }
            }
        }
        sendAttempt(urlRequest, as: 0)
    }

    private func sendAttempt(_ urlRequest: consuming URLRequest, as number: Int) {
        let (isWanted, sink) = core.withLock {
            ($0.exchange.isWaitingToSend(number), $0.rareState?.body?.sink)
        }
        if !isWanted { return }
        if number == 0 {
            sink?.prepare(&urlRequest)
            log?.sent()
        }
        guard let credentials = credentials(for: urlRequest) else {
            noteAttempt(urlRequest, urlRequest, as: number)
            return createTransfer(for: urlRequest, as: number)
        }
        let plain = urlRequest
        authorize(plain, by: credentials) { [self] authorized, isLater in
            if !self.isWanted(number) { return }
            let complete = authorized.request
            noteAttempt(
                isLater ? plain : complete, complete, as: number, isAuthorized: !isLater,
                authorized.credential)
            createTransfer(for: complete, as: number)
        }
    }

    /// Called before the transfer begins, because the response may be immediate. `complete` includes any credential.
    private func noteAttempt(
        _ urlRequest: URLRequest, _ complete: URLRequest, as number: Int, isAuthorized: Bool = false,
        _ credential: Int = 0
    ) {
        guard mayBeSentAgain else { return }
        let departure = plan.hasCaches ? now : nil
        let isCachedByCredential = plan.hasCaches && request.credentials.map { $0.cacheField == nil } == true
        let hidesFields = transferSource == nil && request.credentials != nil && !isAuthorized
        let secretFields = hidesFields ? complete.fields(changedSince: urlRequest) : []
        core.withLock { core in
            if core.exchange.number == number {
                core.exchange.attempt.begin(urlRequest, isAuthorized: isAuthorized, credential: credential)
            }
            if let departure { core.rareState?.caching?.sent = departure }
            if isCachedByCredential { core.rareState?.caching?.noteCredential(complete.authorization) }
            if !secretFields.isEmpty { core.neededRareState.secretFields = secretFields }
        }
    }

    private func createTransfer(for urlRequest: URLRequest, as number: Int) {
        let sent = downloadSink?.requestForRest(from: urlRequest) ?? urlRequest
        guard let transferSource else {
            return withTransferContext {
                begin(DataTaskTransfer(sent, through: dataSource), number: number)
            }
        }
        createTransfer(for: sent, through: transferSource, number: number)
    }

    var downloadSink: DownloadSink? {
        request.download == nil ? nil : core.withLock { $0.rareState?.download }
    }
}

extension ServiceTask {
    func sendFollowUp(_ followUp: FollowUp, after outcome: TransferOutcome, as number: Int) {
        if let next = followUp.request { return sendRedirect(next, as: number) }
        let (attempt, permit) = core.withLock { core in
            if followUp.cause == .validation { core.rareState?.caching?.removedValidators() }
            return (core.exchange.attempt, core.exchange.releasePermit())
        }
        permit?.end()
        guard var urlRequest = attempt.plainRequest else { return failExchange(with: URLError(.unknown)) }
        if followUp.cause == .validation { urlRequest.removeValidators() }
        if followUp.cause != .range { log?.retries(attempt.rejected + 1, after: followUp.delay, outcome) }
        restartIdleTimeout()
        if followUp.delay == .zero { return sendAttempt(urlRequest, as: number) }
        storeNextAttempt(
            request.retry.schedule(after: followUp.delay, for: outcome.error, by: clock) {
                [self, urlRequest] in
                restartIdleTimeout()
                sendAttempt(urlRequest, as: number)
            })
    }

    private func sendRedirect(_ urlRequest: URLRequest, as number: Int) {
        guard let transferSource else { return }
        var next = urlRequest
        prepareRedirect?(&next)
        createTransfer(for: next, through: transferSource, number: number)
    }

    private func isWanted(_ number: Int) -> Bool {
        core.withLock { $0.exchange.isWaitingToSend(number) }
    }
}

extension ServiceTask {
    /// Returns `nil` if the request needs no credential, or if `adaptRequest` has changed its origin.
    func credentials(for urlRequest: URLRequest) -> (any CredentialSource)? {
        guard let credentials = request.credentials else { return nil }
        if request.adapters.isEmpty { return credentials }
        let origin = URL(string: request.urlString).flatMap(Origin.init)
        return urlRequest.url.flatMap(Origin.init) == origin ? credentials : nil
    }

    /// Calls `proceed` once there is a credential, possibly within this call.
    private func authorize(
        _ urlRequest: URLRequest, by credentials: any CredentialSource,
        _ proceed: @escaping @Sendable (AuthorizedRequest, _ isLater: Bool) -> Void
    ) {
        do {
            var authorized = urlRequest
            if let credential = try credentials.authorizeNow(&authorized, clock) {
                return proceed(AuthorizedRequest(request: authorized, credential: credential), false)
            }
        } catch {
            return failTransfer(with: ServiceError(thrown: error, request: request))
        }
        storeNextAttempt(
            credentials.authorized(urlRequest, clock, caller) { [self] result in
                switch result {
                case .success(let authorized): proceed(authorized, true)
                case .failure(let error):
                    failTransfer(with: ServiceError(thrown: error, request: request))
                }
            })
    }

    func startDeadline(_ timeout: Duration, after period: Duration? = nil) {
        let deadline = clock.schedule(after: period ?? timeout) { [weak self] in
            guard let self else { return }
            let now = now
            let idleTime = core.withLock { core in
                core.rareState?.body?.idleTime(
                    leftOf: timeout, now,
                    isPaused: core.exchange.pause != .none)
            }
            // A shorter remainder may be a rounding error of the dates.
            if let idleTime, idleTime > .milliseconds(1) { return startDeadline(timeout, after: idleTime) }
            let detail =
                idleTime == nil
                ? "the request's timeout of \(timeout) has passed" : "no byte arrived for \(timeout)"
            failTransfer(with: ServiceError(.timedOut, detail: detail, request: request))
        }
        let end = request.retry.isInUse && period == nil ? now.addingTimeInterval(timeout.seconds) : nil
        core.withLock { core in
            if let end { core.exchange.attempt.end = end }
            return core.store(deadline, as: \.deadline)
        }.cancelIfUnneeded()
    }

    private func storeNextAttempt(_ work: ScheduledWork) {
        core.withLock { $0.store(work, as: \.nextAttempt) }.cancelIfUnneeded()
    }
}

extension URLRequest {
    fileprivate func fields(changedSince plain: URLRequest) -> [String] {
        let (fields, plainFields) = (allHTTPHeaderFields ?? [:], plain.allHTTPHeaderFields ?? [:])
        return fields.filter { plainFields[$0.key] != $0.value }.map(\.key)
    }
}
