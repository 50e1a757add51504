import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What the relay of a task makes its attempts of, and judges them by: the retry policy and the authenticator that the task's
/// request was configured with.
struct Attempts: Sendable {
    private let task: ServiceTask
    private let dataSource: any SessionDataTaskDataSource
    /// What authorizes the request; nil also where `adaptRequest` has turned it to another origin.
    private let credentials: (any CredentialSource)?
    /// When the task's time is over, where it matters.
    private let end: Date?
    /// How often the request was sent before: a download's, whose transfer broke off.
    private let earlier: Int

    init(of request: URLRequest, _ task: ServiceTask, over dataSource: any SessionDataTaskDataSource) {
        self.task = task
        self.dataSource = dataSource
        credentials = task.credentials(for: request)
        earlier = task.core.withLock { $0.attempts } - 1
        end =
            task.request.retry.isInUse
            ? task.request.timeout.map { task.now.addingTimeInterval($0.seconds) } : nil
    }
}

// MARK: - Sending

extension Attempts: RelaySource {
    var judge: any RelayJudge { self }
    var timeout: Duration? { nil }

    func dataTask(with request: URLRequest, for attempt: RelayAttempt) -> any DataTask {
        let receipt = Receipt(attempt)
        return task.withClock {
            dataSource.dataTask(with: request) { data, response, error in receipt(data, response, error)
            }
        }
    }

    func begin(_ request: URLRequest, _ attempt: RelayAttempt) -> ScheduledWork? {
        if attempt.number > 0 { task.core.withLock { $0.attempts = earlier + attempt.number + 1 } }
        guard let credentials else {
            attempt.begin(dataTask(with: request, for: attempt))
            return nil
        }
        do {
            if let authorized = try credentials.authorizedNow(request, task.clock) {
                begin(authorized, credentials, attempt)
                return nil
            }
        } catch {
            attempt.fail(with: Self.failure(error))
            return nil
        }
        return credentials.authorized(request, task.clock) { result in
            switch result {
            case .success(let authorized): begin(authorized, credentials, attempt)
            case .failure(let error): attempt.fail(with: Self.failure(error))
            }
        }
    }

    private func begin(
        _ authorized: AuthorizedRequest, _ credentials: any CredentialSource, _ attempt: RelayAttempt
    ) {
        task.noteCredential(of: authorized.request, credentials)
        attempt.begin(dataTask(with: authorized.request, for: attempt), credential: authorized.credential)
    }

    /// What the making of a credential throws is an error of the app's, unless it says that it isn't.
    fileprivate static func failure(_ error: any Error) -> any Error {
        error is URLError ? error : ServiceError(thrown: error, request: nil)
    }
}

// MARK: - Judging

extension Attempts: RelayJudge {
    func verdict(
        on finding: Relay.Finding, to request: URLRequest, _ history: Relay.History
    ) -> Relay.Verdict {
        if isRefused(finding, request, history), history.refused == 0, request.canBeSentAgain {
            return again(request, after: .zero, finding, .refusal, history)
        }
        let policy = task.request.retry
        guard policy.isInUse else { return .accept }
        let now = task.now
        let attempt = RetryPolicy.Attempt(
            request: request, response: finding.response, error: finding.error,
            retries: earlier + history.rejected - history.refused)
        let wait = policy.wait(after: attempt, canBeSentAgain: request.canBeSentAgain, now: now) { wait in
            end.map { now.addingTimeInterval(wait.seconds) < $0 } ?? true
        }
        return wait.map { again(request, after: $0, finding, .response, history) } ?? .accept
    }

    private func isRefused(
        _ finding: Relay.Finding, _ request: URLRequest, _ history: Relay.History
    ) -> Bool {
        guard case .head(let response) = finding, let credentials else { return false }
        return credentials.refuses(response, to: request, credential: history.credential)
    }

    private func again(
        _ request: URLRequest, after wait: Duration, _ finding: Relay.Finding, _ cause: Relay.Cause,
        _ history: Relay.History
    ) -> Relay.Verdict {
        task.log?.retries(earlier + history.rejected + 2, after: wait, finding)
        return .again(request, after: wait, because: cause)
    }
}

extension Relay.Finding {
    fileprivate var response: HTTPURLResponse? {
        if case .head(let response) = self { response } else { nil }
    }
    fileprivate var error: (any Error)? { if case .failure(let error) = self { error } else { nil } }
}

// MARK: - The task

extension ServiceTask {
    /// Makes the data task of the request, which may be sent more than once.
    func dataTask(
        with urlRequest: URLRequest, over dataSource: any SessionDataTaskDataSource,
        completion: @escaping Completion.Handler
    ) -> any DataTask {
        if request.credentials == nil, !request.retry.isInUse {
            return dataSource.dataTask(with: urlRequest, completion: completion)
        }
        var plain = urlRequest
        if let field = request.credentials?.cacheField, plain.authorization == field {
            plain.setValue(nil, forHTTPHeaderField: "Authorization")
        }
        return RelayDataTask(plain, Attempts(of: plain, self, over: dataSource), completion)
    }

    /// What authorizes a request, which `adaptRequest` may have turned to another origin.
    func credentials(for urlRequest: URLRequest) -> (any CredentialSource)? {
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
            if let authorized = try credentials.authorizedNow(urlRequest, clock) {
                return beginWithCaches(urlRequest.authorized(by: authorized.request.authorization))
            }
        } catch {
            return arrive(
                PipelineInput(error: ServiceError(transport: Attempts.failure(error), request: request)),
                cancelling: true)
        }
        let wait = credentials.authorized(urlRequest, clock) { result in
            switch result {
            case .success(let authorized):
                self.beginWithCaches(urlRequest.authorized(by: authorized.request.authorization))
            case .failure(let error):
                let failure = ServiceError(transport: Attempts.failure(error), request: self.request)
                self.arrive(PipelineInput(error: failure), cancelling: true)
            }
        }
        let isNeeded = core.withLock { core in
            if core.chain.isPending { core.authorization = wait }
            return core.chain.isPending
        }
        if !isNeeded { wait.cancel() }
    }

    /// Has caches know the response by the credential that the request is sent with, where they don't know whose it is.
    fileprivate func noteCredential(of urlRequest: URLRequest, _ credentials: any CredentialSource) {
        guard plan.hasCaches, credentials.identity == nil else { return }
        core.withLock { $0.caching?.noteCredential(urlRequest.authorization) }
    }
}
