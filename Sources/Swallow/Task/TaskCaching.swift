import Foundation

/// The state of caching in one task. It decides each step, and the task performs it.
struct TaskCaching: Sendable {
    enum Step: Sendable {
        case none
        /// Read the caches of stages before this index. After a timeout, this may take as long as the timeout again.
        case read(before: Int, afterTimeout: Bool = false)
        case send(URLRequest, validators: Validators?)
        case use(StoredResponse, refreshes: Bool = false, CacheChange? = nil)
        case end(PipelineAdapter, from: StoredResponse? = nil, CacheChange? = nil)
    }

    enum Phase: Sendable {
        case reading
        /// The request was sent, possibly to validate a stored response.
        indirect case sent(StoredResponse?, isConditional: Bool)
        case readingInstead(of: ServiceError)
        case decided
    }

    private let request: Request
    private var urlRequest: URLRequest
    private let role: CacheRole
    private let plan: PipelinePlan
    /// The validators of a response that the caller has. A stored response's validators take precedence.
    private let validators: Validators?
    let epoch = CacheEpochs.latest
    var sent: Date?
    private(set) var storesResponse = false
    private(set) var phase = Phase.sent(nil, isConditional: false)

    init?(
        _ urlRequest: URLRequest, of request: Request, _ policy: CachePolicy, _ plan: PipelinePlan,
        validators: Validators? = nil
    ) {
        guard plan.hasCaches,
            let role = CacheRole(
                urlRequest, policy, ignoresServerRules: request.ignoresServerCacheRules)
        else { return nil }
        (self.request, self.urlRequest, self.role, self.plan) = (request, urlRequest, role, plan)
        self.validators = validators
    }

    var rules: CacheRules? { if case .get(let rules) = role { rules } else { nil } }

    /// The request that selects stored responses. `nil` if it isn't a GET.
    var storageRequest: URLRequest? { rules == nil ? nil : urlRequest }

    mutating func noteCredential(_ field: String?) {
        if urlRequest.authorization != field { urlRequest = urlRequest.authorized(by: field) }
    }
}

extension TaskCaching {
    mutating func start() -> Step {
        guard rules?.policy.readsFirst == true else { return send() }
        phase = .reading
        return .read(before: plan.stages.count)
    }

    mutating func found(_ stored: StoredResponse?) -> Step {
        guard let rules else { return .none }
        switch phase {
        case .reading: return takeFound(stored, rules)
        case .readingInstead(let error):
            guard let stored else { return end(PipelineAdapter(failure: error, plan)) }
            if stored.state.isFailure { return .read(before: stored.stage) }
            return rules.mayServeStale(stored.state)
                ? .use(stored) : end(PipelineAdapter(failure: error, plan))
        case .sent, .decided: return .none
        }
    }

    private mutating func takeFound(_ stored: StoredResponse?, _ rules: CacheRules) -> Step {
        switch (rules.beforeSending(stored?.state), stored) {
        case (.use, let stored?) where stored.state.isFailure:
            let error = ServiceError(
                .unacceptableStatus, request: request, response: stored.cached.response)
            return end(PipelineAdapter(stored.response, failure: error, plan), from: stored)
        case (.use, let stored?) where rules.policy != .onlyCache && stored.cached.isKnown(by: urlRequest):
            let response = stored.notModified
            let error = ServiceError(.unacceptableStatus, request: request, response: response.head)
            let failure = request.acceptableStatusCodes.contains(304) ? nil : error
            return end(PipelineAdapter(response, failure: failure, plan), from: stored)
        case (.use, let stored?): return .use(stored)
        case (.useAndRefresh, let stored?): return .use(stored, refreshes: true)
        case (.skip, let stored?): return .read(before: stored.stage)
        case (.fail, _): return end(PipelineAdapter(failure: .notCached(request), plan))
        case (.validate, _): return send(validating: stored)
        case (.send, _), (_, nil): return send()
        }
    }

    /// Uses the validators of a stored response, or otherwise those of the caller's response.
    private mutating func send(validating stored: StoredResponse? = nil) -> Step {
        if let validators = stored?.cached.validators, let conditional = validators.added(to: urlRequest) {
            phase = .sent(stored, isConditional: true)
            return .send(conditional, validators: validators)
        }
        phase = .sent(stored, isConditional: false)
        guard let validators, let conditional = validators.added(to: urlRequest) else {
            return .send(urlRequest, validators: nil)
        }
        return .send(conditional, validators: validators)
    }

    /// Called when a stage rejects a stored response, for example after an update of the app.
    mutating func rejected(_ stored: StoredResponse, _ error: ServiceError) -> Step {
        switch phase {
        case .reading, .readingInstead: return .read(before: stored.stage)
        case .sent, .decided: return end(PipelineAdapter(failure: error, plan))
        }
    }

    private mutating func end(
        _ adapter: PipelineAdapter, from stored: StoredResponse? = nil, _ change: CacheChange? = nil
    ) -> Step {
        phase = .decided
        return .end(adapter, from: stored, change)
    }
}

extension TaskCaching {
    mutating func removedValidators() {
        if case .sent(let stored, _) = phase { phase = .sent(stored, isConditional: false) }
    }

    func isConfirmed(by head: HTTPURLResponse) -> Bool {
        if case .sent(.some, isConditional: true) = phase { head.statusCode == 304 } else { false }
    }

    mutating func received(_ response: ReceivedResponse, _ error: ServiceError?) -> Step {
        guard case .sent(let stored, let isConditional) = phase else { return .none }
        phase = .decided
        let adapter = PipelineAdapter(response, failure: error, plan)
        let delay = sent.map { response.timestamp.timeIntervalSince($0) } ?? 0
        let failure = error.flatMap { _ in storableFailure(response) }
        let received = ReceivedState(
            status: response.head.statusCode, failure: error?.reason, isExplicitlyFresh: failure != nil)
        switch role.afterResponse(received, to: stored?.state, isConditional: isConditional) {
        case .serve: return .end(adapter)
        case .store:
            storesResponse = true
            return .end(adapter)
        case .storeFailure:
            let successes = received.isGone ? nil : request.acceptableStatusCodes
            return .end(
                adapter,
                failure.map { CacheChange.storeFailure($0, unlessReplacing: successes, for: urlRequest) })
        case .confirm:
            guard let stored,
                let confirmed = stored.cached.confirmed(
                    by: response.head, at: response.timestamp, after: delay)
            else { return .end(adapter) }
            return .use(
                StoredResponse(confirmed, stage: stored.stage, at: response.timestamp, isConfirmed: true),
                .confirm(stored.cached.response, as: confirmed, for: urlRequest))
        case .serveStale: return stored.map { .use($0) } ?? .end(adapter)
        case .compare: return .end(adapter, .compare(response, after: delay, for: urlRequest.get()))
        case .remove: return .end(adapter, .remove(urlRequest))
        case .invalidate: return .end(adapter, .invalidate(urlRequest.invalidated(by: response.head)))
        }
    }

    private func storableFailure(_ response: ReceivedResponse) -> CachedResponse? {
        guard rules != nil, ReceivedState.isStorableFailure(response.head.statusCode) else { return nil }
        let failure = CachedResponse(
            response: response.head, data: response.data, timestamp: response.timestamp,
            requestTimestamp: sent, for: urlRequest
        ).withoutConnectionFields()
        let isFresh = failure.directives.statedLifetime ?? 0 > 0
        return isFresh && !failure.isRedirected ? failure : nil
    }

    mutating func failed(_ error: ServiceError) -> Step {
        switch phase {
        case .sent where rules?.policy.servesStale == true && error.isTransportFailure:
            phase = .readingInstead(of: error)
            return .read(before: plan.stages.count, afterTimeout: error.reason == .timedOut)
        case .sent:
            // A successful write may have changed the resource, even if the response's body was interrupted.
            let changed = error.response.map(changedRequests) ?? []
            return end(PipelineAdapter(failure: error, plan), changed.isEmpty ? nil : .invalidate(changed))
        // The deadline has passed while a cache was being read.
        case .reading, .readingInstead: return end(PipelineAdapter(failure: error, plan))
        case .decided: return .none
        }
    }

    func invalidation(by head: HTTPURLResponse) -> CacheChange? {
        let changed = changedRequests(by: head)
        return changed.isEmpty ? nil : .invalidate(changed)
    }

    /// Returns the requests whose stored responses are outdated after the head of a write.
    private func changedRequests(by head: HTTPURLResponse) -> [URLRequest] {
        guard case .sent = phase,
            case .invalidate = role.afterResponse(ReceivedState(status: head.statusCode))
        else { return [] }
        return urlRequest.invalidated(by: head)
    }
}
