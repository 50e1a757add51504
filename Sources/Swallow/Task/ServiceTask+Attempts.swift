import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One sending of a task's request.
private struct Attempt: RequestSender {
    let task: ServiceTask
    let number: Int

    func receive(_ ending: Ending) { task.receive(ending, of: number) }
    func endsQuickly(with head: ResponseHead) -> Bool { task.endsQuickly(with: head) }
}

// MARK: - Sending

extension ServiceTask {
    /// Whether the request may be sent more than once.
    var isJudged: Bool {
        request.credentials != nil || request.retry.isInUse || request.download != nil || plan.hasCaches
            || validators != nil
    }

    /// Sends a request for the first time.
    func sendFirst(_ urlRequest: consuming URLRequest) {
        log?.sent()
        if plan.hasCaches, let field = request.credentials?.cacheField, urlRequest.authorization == field {
            urlRequest.authorize(by: nil)
        }
        send(urlRequest, attempt: 0)
    }

    private func send(_ urlRequest: consuming URLRequest, attempt number: Int) {
        guard let credentials = credentials(for: urlRequest) else {
            return hand(urlRequest, attempt: number)
        }
        do {
            if let credential = try credentials.authorizeNow(&urlRequest, clock) {
                return hand(urlRequest, attempt: number, isAuthorized: true, credential: credential)
            }
        } catch {
            return fail(with: ServiceError(authorizing: error, request), cancelling: true)
        }
        let plain = urlRequest
        authorizeLater(plain, credentials) { [self] authorized in
            hand(plain, as: authorized.request, attempt: number, credential: authorized.credential)
        }
    }

    /// Hands an attempt's request to the data source.
    ///
    /// - Parameters:
    ///   - authorized: the request with a credential, where that isn't in `Authorization` alone.
    ///   - credential: the number of the one that is sent.
    private func hand(
        _ urlRequest: URLRequest, as authorized: URLRequest? = nil, attempt number: Int,
        isAuthorized: Bool = false, credential: Int = 0
    ) {
        let receipt = Receipt(Attempt(task: self, number: number))
        let whole = authorized ?? urlRequest
        let sent = downloadSink?.completed(whole) ?? whole
        if isJudged {
            // First, since the data source may answer before it returns.
            noteCredential(of: sent)
            let departure = plan.hasCaches ? now : nil
            core.withLock { core in
                core.attempts.begin(number, urlRequest, isAuthorized: isAuthorized, credential: credential)
                if let departure { core.caching?.sent = departure }
            }
        }
        let dataTask = withTerms { self.dataTask(with: sent, receipt) }
        func begin(_ core: inout Core) -> (isWanted: Bool, ProgressWatch?) {
            (core.attempts.number == number && core.transfer.begin(dataTask), core.progress)
        }
        var begun = core.withLock { core in core.body == nil ? begin(&core) : nil }
        if begun == nil {
            // Before others can resume it.
            stream(dataTask, attempt: number)
            begun = core.withLock { begin(&$0) }
        }
        guard let (isWanted, watch) = begun, isWanted else { return dataTask.cancel() }
        watch?.start(for: self)
        sendSignals()
    }

    private func dataTask(with sent: URLRequest, _ receipt: Receipt<Attempt>) -> any DataTask {
        #if os(Linux) && canImport(Glibc)
            if let curl = dataSource as? CurlDataSource {
                return curl.dataTask(
                    with: sent,
                    endingWith: PartQueue.EndReceiver(
                        receive: { receipt.receive($0) }, endsQuickly: { receipt.endsQuickly(with: $0) }))
            }
        #endif
        return dataSource.dataTask(with: sent) { data, response, error in receipt(data, response, error) }
    }

    /// Whether taking a response runs no code of the app's and does nothing that takes long: then a thread may do it that
    /// others wait for.
    fileprivate func endsQuickly(with head: ResponseHead) -> Bool {
        if isJudged || log != nil || plan.hasCaches || surroundings != nil { return false }
        if request.acceptableContentTypes != nil { return false }
        guard (200..<300).contains(head.statusCode), request.acceptableStatusCodes.contains(head.statusCode)
        else { return false }
        return core.withLock { core in
            core.body == nil && core.progress == nil && core.chain.takesSuccess
        }
    }

    /// Has caches know the response by the credential that is sent, where they don't know whose it is.
    private func noteCredential(of sent: URLRequest) {
        guard plan.hasCaches, let credentials = request.credentials, credentials.cacheField == nil else {
            return
        }
        let field = sent.authorization
        core.withLock { $0.caching?.noteCredential(field) }
    }

    /// Rejects an attempt, and has the next one made after a time.
    private func sendAgain(
        _ attempts: Attempts, after wait: Duration, because cause: Attempts.Cause, _ finding: Relay.Finding,
        hasEnded: Bool
    ) {
        let (isWanted, dropped, ended) = core.withLock { core -> (Bool, [(any DataTask)?], (any DataTask)?) in
            guard core.attempts.number == attempts.number, !core.transfer.hasEnded else {
                return (false, [], nil)
            }
            // One that was suspended meanwhile would wait for ever.
            let isDrained = !hasEnded && core.transfer.isRunning
            let dataTask = core.transfer.startAnew()
            let earlier = core.attempts.reject(because: cause, isDrained ? dataTask : nil)
            if cause == .validation { core.caching?.asksAnew() }
            return (true, [earlier, hasEnded || isDrained ? nil : dataTask], dataTask)
        }
        for dataTask in dropped { dataTask?.cancel() }
        if hasEnded, let count = ended?.transferMetrics?.attempts {
            core.withLock { $0.attempts.noteSendings(count) }
        }
        let plain = attempts.plainRequest
        guard isWanted, let urlRequest = cause == .validation ? plain?.withoutValidators : plain else {
            return
        }
        let number = attempts.number + 1
        if cause != .range { log?.retries(number + 1, after: wait, finding) }
        noteBodyMayGoOn()
        if wait == .zero { return send(urlRequest, attempt: number) }
        keep(
            clock.schedule(after: wait) { [self] in
                noteBodyMayGoOn()
                send(urlRequest, attempt: number)
            })
    }

    /// Lets go of a rejected attempt that has come to its end.
    func dropLeftover(of number: Int) {
        // Returned, so that it ends outside the lock.
        let dataTask = core.withLock { $0.attempts.drop(number) }
        withExtendedLifetime(dataTask) {}
    }

    /// Keeps what the task waits for, to be cancelled at its end.
    private func keep(_ wait: ScheduledWork) {
        let (isNeeded, _) = core.withLock { core in
            let replaced = core.wait
            if core.chain.isPending { core.wait = wait }
            return (core.chain.isPending, replaced)
        }
        if !isNeeded { wait.cancel() }
    }
}

// MARK: - Judging

extension ServiceTask {
    /// Decides, at its head or its end, whether an attempt is the last one.
    ///
    /// - Returns: whether it is; if not, it was rejected.
    func accepts(_ finding: @autoclosure () -> Relay.Finding?, of number: Int, hasEnded: Bool) -> Bool {
        guard isJudged, let finding = finding() else { return true }
        let attempts = core.withLock { $0.attempts }
        switch verdict(on: finding, attempts) {
        case .accept:
            if !hasEnded { core.withLock { $0.attempts.accept(number) } }
            return true
        case .fail(let error):
            fail(with: error, cancelling: !hasEnded)
            return false
        case .again(let wait, let cause):
            sendAgain(attempts, after: wait, because: cause, finding, hasEnded: hasEnded)
            return false
        }
    }

    private func verdict(on finding: Relay.Finding, _ attempts: Attempts) -> Attempts.Verdict {
        guard let urlRequest = attempts.request else { return .accept }
        let download = downloadSink
        if attempts.isAccepted {
            // A download goes on from what has come.
            guard let download, download.canGoOn, case .failure = finding else { return .accept }
        } else {
            switch credentialVerdict(on: finding, urlRequest, attempts) {
            case .refused where attempts.refusals == 0 && urlRequest.canBeSentAgain,
                .replaced where attempts.refusals < Attempts.refusalLimit && urlRequest.canBeSentAgain:
                return .again(after: .zero, because: .refusal)
            case .unanswerable(let error): return .fail(error.with(request))
            case .accepted, .refused, .replaced: break
            }
        }
        if let validators = attempts.validators, case .head(let head) = finding, head.statusCode == 304,
            !attempts.isAccepted, !validators.areConfirmed(by: head.response)
        {
            return .again(after: .zero, because: .validation)
        }
        if request.retry.isInUse, let wait = wait(after: finding, attempts) {
            return .again(after: wait, because: .retry)
        }
        if case .head(let head) = finding, !attempts.isAccepted, let download {
            return download.verdict(on: head.response)
        }
        return .accept
    }

    private func credentialVerdict(
        on finding: Relay.Finding, _ urlRequest: URLRequest, _ attempts: Attempts
    ) -> CredentialVerdict {
        guard case .head(let head) = finding, let credentials = credentials(for: urlRequest) else {
            return .accepted
        }
        return credentials.verdict(on: head.response, to: urlRequest, credential: attempts.credential)
    }

    /// How long the retry policy has the task wait for the next attempt; nil for ever.
    private func wait(after finding: Relay.Finding, _ attempts: Attempts) -> Duration? {
        guard let urlRequest = request.retry.decide == nil ? attempts.request : attempts.plainRequest else {
            return nil
        }
        let attempt = RetryPolicy.Attempt(
            request: urlRequest, response: finding.response, error: finding.error, retries: attempts.retries)
        return request.retry.wait(after: attempt, canBeSentAgain: urlRequest.canBeSentAgain, now: now) {
            wait in
            // The time of a body that has begun to come is that without a byte.
            if attempts.isAccepted { return request.timeout.map { wait < $0 } ?? true }
            guard let end = attempts.end else { return true }
            return now.addingTimeInterval(wait.seconds) < end
        }
    }
}

extension Relay.Finding {
    fileprivate var response: HTTPURLResponse? {
        if case .head(let head) = self { head.response } else { nil }
    }
    fileprivate var error: (any Error)? { if case .failure(let error) = self { error } else { nil } }
}

// MARK: - Authorizing

extension ServiceTask {
    /// What authorizes a request, which `adaptRequest` may have turned to another origin.
    private func credentials(for urlRequest: URLRequest) -> (any CredentialSource)? {
        guard let credentials = request.credentials else { return nil }
        if request.adapters.isEmpty { return credentials }
        let home = URL(string: request.urlString).flatMap(Origin.init)
        return urlRequest.url.flatMap(Origin.init) == home ? credentials : nil
    }

    /// Sends a request unless a cache knows the response: by whose it is, or else by its credential, which comes first.
    func beginWithCredential(_ urlRequest: URLRequest) {
        guard let credentials = credentials(for: urlRequest) else { return beginWithCaches(urlRequest) }
        if let field = credentials.cacheField { return beginWithCaches(urlRequest.authorized(by: field)) }
        do {
            var authorized = urlRequest
            if try credentials.authorizeNow(&authorized, clock) != nil {
                return beginWithCaches(urlRequest.authorized(by: authorized.authorization))
            }
        } catch {
            return fail(with: ServiceError(authorizing: error, request), cancelling: true)
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
            case .failure(let error): fail(with: ServiceError(authorizing: error, request), cancelling: true)
            }
        }
        keep(wait)
    }
}

extension ServiceError {
    /// What the making of a credential throws is an error of the app's, unless it says that it isn't.
    fileprivate init(authorizing error: any Error, _ request: Request) {
        if error is URLError {
            self.init(transport: error, request: request)
        } else {
            self.init(thrown: error, request: request)
        }
    }
}
