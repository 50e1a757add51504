import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The functions are in the order in which they run.
extension ServiceTask {
    func start() {
        do throws(ServiceError) {
            var encoded = try request.encoded()
            request.retry.addIdempotencyKey(to: &encoded)
            if !mayEndBeforeSending { storeCaller() }
            if let timeout = request.timeout {
                startDeadline(timeout)
                if request.retry.isInUse {
                    let end = now.addingTimeInterval(timeout.seconds)
                    core.withLock { $0.exchange.attempt.end = end }
                }
            }
            if request.adaptsLater { return adapt(encoded) }
            if !request.adapters.isEmpty { encoded = try request.adapted(encoded) }
            sendEncoded(encoded)
        } catch {
            end(with: PipelineAdapter(failure: error, plan))
        }
    }

    private func adapt(_ urlRequest: URLRequest) {
        let adaptation = Caller.startTask(for: nil) { [self] in
            do throws(ServiceError) {
                let adapted = try await request.adaptedLater(urlRequest)
                if !core.withLock({ $0.exchange.isComplete }) { sendEncoded(adapted) }
            } catch {
                end(with: PipelineAdapter(failure: error, plan))
            }
        }
        core.withLock { $0.store(adaptation, as: \.adaptation) }.cancelIfUnneeded()
    }

    private func sendEncoded(_ urlRequest: consuming URLRequest) {
        log?.built(urlRequest, form: request.multipartForm)
        if plan.hasCaches { beginWithCredential(urlRequest) } else { sendWithoutCaches(urlRequest) }
    }

    /// Without the user's identity, caches look responses up by the credential, so the request is authorized first.
    private func beginWithCredential(_ urlRequest: URLRequest) {
        guard let credentials = credentials(for: urlRequest) else { return beginWithCaches(urlRequest) }
        if let field = credentials.cacheField { return beginWithCaches(urlRequest.authorized(by: field)) }
        do {
            var authorized = urlRequest
            if try credentials.authorizeNow(&authorized, clock) != nil {
                return beginWithCaches(urlRequest.authorized(by: authorized.authorization))
            }
        } catch {
            return failTransfer(with: ServiceError(thrown: error, request: request))
        }
        authorizeLater(urlRequest, credentials) { [self] authorized in
            beginWithCaches(urlRequest.authorized(by: authorized.request.authorization))
        }
    }

    func sendWithoutCaches(_ urlRequest: consuming URLRequest) {
        if cachePolicy == .onlyCache {
            return end(with: PipelineAdapter(failure: .notCached(request), plan))
        }
        // A resource's load must reach the server and not the transport's own cache.
        if context?.load != nil { urlRequest.cachePolicy = .reloadIgnoringLocalCacheData }
        guard let validators, let conditional = validators.added(to: urlRequest) else {
            return send(urlRequest)
        }
        send(conditional, validating: validators)
    }

    func send(_ urlRequest: consuming URLRequest, validating validators: Validators? = nil) {
        let (hasEnded, sink) = core.withLock { core in
            if let validators { core.exchange.attempt.validate(with: validators.of(urlRequest.url)) }
            return (core.exchange.isComplete, core.rareState?.body?.sink)
        }
        if hasEnded { return }
        if let download = sink as? DownloadSink { return openDownload(download, for: urlRequest) }
        sink?.prepare(&urlRequest)
        sendFirst(urlRequest)
    }

    func sendFirst(_ urlRequest: consuming URLRequest) {
        log?.sent()
        if plan.hasCaches, let field = request.credentials?.cacheField, urlRequest.authorization == field {
            urlRequest.authorize(by: nil)
        }
        authorize(urlRequest, as: 0)
    }

    private func authorize(_ urlRequest: consuming URLRequest, as number: Int) {
        guard let credentials = credentials(for: urlRequest) else {
            return sendAuthorized(urlRequest, number: number)
        }
        do {
            if let credential = try credentials.authorizeNow(&urlRequest, clock) {
                return sendAuthorized(urlRequest, number: number, isAuthorized: true, credential: credential)
            }
        } catch {
            return failTransfer(with: ServiceError(thrown: error, request: request))
        }
        let plain = urlRequest
        authorizeLater(plain, credentials) { [self] authorized in
            if !isWanted(number) { return }
            sendAuthorized(
                plain, as: authorized.request, number: number, credential: authorized.credential)
        }
    }

    /// `authorized` is the request with a credential, if more than its `Authorization` field has changed.
    private func sendAuthorized(
        _ urlRequest: URLRequest, as authorized: URLRequest? = nil, number: Int,
        isAuthorized: Bool = false, credential: Int = 0
    ) {
        let complete = authorized ?? urlRequest
        let sent = downloadSink?.completed(complete) ?? complete
        if mayBeSentAgain {
            // The data source may respond before it returns.
            noteCredential(of: sent)
            let departure = plan.hasCaches ? now : nil
            core.withLock { core in
                if core.exchange.number == number {
                    core.exchange.attempt.begin(
                        urlRequest, isAuthorized: isAuthorized, credential: credential)
                }
                if let departure { core.rareState?.caching?.sent = departure }
            }
        }
        guard let transferSource else {
            if let secretFields = authorized?.fields(changedSince: urlRequest), !secretFields.isEmpty {
                core.withLock { $0.neededRareState.secretFields = secretFields }
            }
            return withTransferContext {
                begin(DataTaskTransfer(sent, through: dataSource, to: receiver(number)), number: number)
            }
        }
        do {
            try beginAttempt(sent, through: transferSource, clock, number: number)
        } catch {
            begin(FailedTransfer(error, receiver(number)), number: number, sending: sent)
        }
    }

    /// Without an identity, caches store responses under the credential.
    private func noteCredential(of sent: URLRequest) {
        guard plan.hasCaches, let credentials = request.credentials, credentials.cacheField == nil else {
            return
        }
        let field = sent.authorization
        core.withLock { $0.rareState?.caching?.noteCredential(field) }
    }
}

// MARK: - Follow-ups

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
        if followUp.delay == .zero { return authorize(urlRequest, as: number) }
        storeNextAttempt(
            request.retry.schedule(after: followUp.delay, for: outcome.error, by: clock) {
                [self, urlRequest] in
                if !isWanted(number) { return }
                restartIdleTimeout()
                authorize(urlRequest, as: number)
            })
    }

    private func sendRedirect(_ urlRequest: URLRequest, as number: Int) {
        guard let transferSource, let permit = core.withLock({ $0.exchange.permit }) else { return }
        var next = urlRequest
        prepareRedirect?(&next)
        send(next, through: transferSource, of: permit, number: number)
    }

    private func isWanted(_ number: Int) -> Bool {
        core.withLock { $0.exchange.number == number && !$0.exchange.isComplete }
    }
}

// MARK: - Credentials and timers

extension ServiceTask {
    /// `nil` if `adaptRequest` has changed the request's origin.
    func credentials(for urlRequest: URLRequest) -> (any CredentialSource)? {
        guard let credentials = request.credentials else { return nil }
        if request.adapters.isEmpty { return credentials }
        let origin = URL(string: request.urlString).flatMap(Origin.init)
        return urlRequest.url.flatMap(Origin.init) == origin ? credentials : nil
    }

    private func authorizeLater(
        _ urlRequest: URLRequest, _ credentials: any CredentialSource,
        _ proceed: @escaping @Sendable (AuthorizedRequest) -> Void
    ) {
        let work = credentials.authorized(urlRequest, clock, caller) { [self] result in
            switch result {
            case .success(let authorized): proceed(authorized)
            case .failure(let error):
                failTransfer(with: ServiceError(thrown: error, request: request))
            }
        }
        storeNextAttempt(work)
    }

    func startDeadline(_ timeout: Duration, after period: Duration? = nil) {
        let deadline = clock.schedule(after: period ?? timeout) { [weak self] in
            guard let self else { return }
            let now = now
            let idleTime = core.withLock { core in
                core.rareState?.body?.idleTime(
                    leftOf: timeout, now,
                    isPaused: core.exchange.isPaused)
            }
            // A shorter remainder may be a rounding error of the dates.
            if let idleTime, idleTime > .milliseconds(1) { return startDeadline(timeout, after: idleTime) }
            let detail =
                idleTime == nil
                ? "the request's timeout of \(timeout) has passed" : "no byte arrived for \(timeout)"
            failTransfer(with: ServiceError(.timedOut, detail: detail, request: request))
        }
        core.withLock { $0.store(deadline, as: \.deadline) }.cancelIfUnneeded()
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
