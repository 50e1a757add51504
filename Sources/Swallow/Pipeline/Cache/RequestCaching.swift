import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Decides how the caches of a pipeline take part in one request, without calling them.
///
/// The task reads the next step under its lock, and carries it out without the lock. A task has this value only if its
/// pipeline has caches that take part.
struct RequestCaching: Sendable {
    enum Step: Sendable {
        /// Do nothing, because the outcome has already been decided.
        case none
        /// Read the caches of the stages before this one.
        case read(before: Int)
        /// Read the caches of the stages before this one, after the transfer has failed. After a timeout, reading may
        /// take as long as the timeout again.
        case readInstead(before: Int, hasTimedOut: Bool)
        /// Fail, because no cache has a response that may be served.
        case miss
        /// Send the request through the data source. The validators, if any, make it conditional.
        case send(URLRequest, asking: Validators?)
        /// Make content from a stored response.
        case use(CachedHit)
        /// Make content from a stored response, and refresh it from the server for the next request.
        case useAndRefresh(CachedHit)
        /// Update the caches with a confirmed response, and make content from it.
        case confirm(HTTPURLResponse, as: CachedHit)
        /// Remove the responses for the URLs of some requests from the caches, and use the server's response.
        case forget([URLRequest], PipelineAdapter)
        /// Remove a request's response from the caches, and use the server's response.
        case remove(URLRequest, PipelineAdapter)
        /// Compare the stored responses with a HEAD response, and use the HEAD response.
        case compare(URLRequest, ReceivedResponse, PipelineAdapter)
        /// Use a 304 in place of a stored response, because the request's own conditions show that the caller has it.
        case notModified(CachedHit)
        /// Fail with a stored failure.
        case fail(CachedHit)
        /// Store a failure in the caches, and fail with it.
        case keep(CachedResponse, PipelineAdapter)
        /// Use the server's response.
        case take(PipelineAdapter)
    }

    private enum Phase {
        case created
        /// The caches are read before the request is sent.
        case reading
        /// The request was sent. The case is indirect because most requests have nothing to validate.
        indirect case sent(about: CachedHit?, isAsked: Bool)
        /// The transfer has failed, and the caches are read for a replacement.
        case readingInstead(of: ServiceError)
        case decided
    }

    /// The request, which selects the response in the caches.
    private var request: URLRequest
    /// The way the caches take part. `nil` for HEAD, and for a request whose success invalidates stored responses.
    private let caching: EntityCaching?
    private let isHead: Bool
    private let fallsBack: Bool
    /// The validators of a response that the caller has.
    private let validators: Validators?
    private let plan: PipelinePlan
    /// The latest wipe when the request began. A response that a later wipe concerns isn't stored.
    let latestWipe = CacheWipes.latest
    /// Whether a response may be served even if the server requires validation.
    private let ignoresServerRules: Bool
    private let isAcceptable: @Sendable (Int) -> Bool
    /// The time when the request was last sent.
    var sent: Date? { didSet { hasForgotten = false } }
    /// Whether the caches have invalidated the changed responses since then.
    private var hasForgotten = false
    private var phase = Phase.created

    /// - Parameters:
    ///   - fallsBack: Whether a stored response is served if no response arrives.
    ///   - validators: The validators of a response that the caller has. They are sent if no cache has validators.
    ///   - isAcceptable: Whether a status is a success. Requests differ in the statuses that they accept.
    /// - Returns: `nil` if no cache takes part.
    init?(
        _ request: URLRequest, _ caching: EntityCaching, _ plan: PipelinePlan,
        ignoresServerRules: Bool = false, fallsBack: Bool = true, validators: Validators? = nil,
        isAcceptable: @escaping @Sendable (Int) -> Bool
    ) {
        guard plan.hasCaches else { return nil }
        let method = request.httpMethod ?? "GET"
        isHead = method == "HEAD"
        if method == "GET", caching != .ignore, request.value(forHTTPHeaderField: "Range") == nil {
            self.caching = caching
        } else if caching != .only, !HTTPSyntax.isSafe(method) || isHead && caching != .ignore {
            self.caching = nil
        } else {
            return nil
        }
        self.request = request
        self.fallsBack = fallsBack
        self.validators = validators
        self.plan = plan
        self.ignoresServerRules = ignoresServerRules
        self.isAcceptable = isAcceptable
    }

    /// The request to store the response for. `nil` if the response isn't stored.
    var requestToKeep: URLRequest? { caching == nil ? nil : request }

    /// Notes the credential that the request is sent with, if caches select the response by it. The server may have
    /// rejected the previous credential.
    mutating func noteCredential(_ field: String?) {
        if request.authorization != field { request = request.authorized(by: field) }
    }

    /// Called when the task starts.
    mutating func start() -> Step {
        guard case .created = phase else { return .none }
        switch caching {
        case .prefer?, .revalidate?, .only?, .standard?:
            phase = .reading
            return .read(before: plan.stages.count)
        case nil, .ignore?, .fallback?: return sendAsking()
        }
    }

    /// Called when the caches have been read.
    mutating func found(_ hit: CachedHit?, now: Date = Date()) -> Step {
        var hit = hit
        let freshness = hit?.cached.freshness(at: now)
        hit?.freshness = freshness
        if let hit, !isAcceptable(hit.cached.head.statusCode) { return foundFailure(hit, now) }
        switch (phase, hit) {
        case (.reading, let hit?): return use(hit, now)
        case (.reading, nil) where sendsNothing: return decide(.miss)
        case (.reading, nil): return sendAsking()
        case (.readingInstead, let hit?) where mayReplace(hit, now): return .use(hit)
        case (.readingInstead(let error), _): return decide(.take(PipelineAdapter(failure: error, plan)))
        case (.created, _), (.sent, _), (.decided, _): return .none
        }
    }

    private mutating func use(_ hit: CachedHit, _ now: Date) -> Step {
        switch caching {
        case .prefer(let maxAge)?
        where hit.cached.isFresh(maxAge, now) && !hit.cached.isRedirected && !mustBeValidated(hit, now):
            return .use(hit)
        case .standard?:
            switch hit.cached.use(for: RequestTerms(request), at: now, ignoresServerRules: ignoresServerRules)
            {
            case .unasked: return hit.cached.isKnown(by: request) ? decide(.notModified(hit)) : .use(hit)
            case .whileAsking: return sendsNothing ? .use(hit) : .useAndRefresh(hit)
            case .onceConfirmed: return sendsNothing ? decide(.miss) : sendAsking(about: hit)
            }
        case .only?: return mustBeValidated(hit, now) ? decide(.miss) : .use(hit)
        case .revalidate?, .prefer?:
            return sendAsking(about: hit)
        case nil, .ignore?, .fallback?: return sendAsking()
        }
    }

    /// Returns whether the request or the server requires validation before a stored response is served.
    private func mustBeValidated(_ hit: CachedHit, _ now: Date) -> Bool {
        request.asksServer || !ignoresServerRules && hit.cached.mustBeValidated(now)
    }

    /// Whether the request must not be sent.
    private var sendsNothing: Bool {
        caching == .only || caching == .standard && RequestTerms(request).asksOnlyCaches
    }

    /// Fails with a stored failure while it is fresh. Otherwise, the cache of an earlier stage may have a success.
    private mutating func foundFailure(_ hit: CachedHit, _ now: Date) -> Step {
        switch phase {
        case .reading:
            let isFresh =
                caching == .standard && Self.isStorableFailure(hit.cached.head.statusCode)
                && hit.cached.use(
                    for: RequestTerms(request), at: now, ignoresServerRules: ignoresServerRules) == .unasked
            return isFresh ? decide(.fail(hit)) : .read(before: hit.stage)
        case .readingInstead: return .read(before: hit.stage)
        case .created, .sent, .decided: return .none
        }
    }

    /// Whether a failure with this status is stored if the server states how long it is fresh.
    private static func isStorableFailure(_ status: Int) -> Bool {
        [404, 405, 410, 414].contains(status) || (500..<600).contains(status)
    }

    /// Whether a failure with this status means that the resource doesn't exist anymore.
    static func isGone(_ status: Int) -> Bool { status == 404 || status == 410 }

    /// The failure to store, if the server states how long it is fresh. A stored success stays instead, because
    /// `stale-if-error` and offline need it, unless the resource is gone.
    ///
    /// - Parameter hit: The stored success.
    private func failureToStore(
        _ response: ReceivedResponse, _ error: ServiceError?, _ hit: CachedHit?
    ) -> CachedResponse? {
        let status = response.head.statusCode
        guard caching == .standard, error?.reason == .unacceptableStatus, Self.isStorableFailure(status),
            hit == nil || Self.isGone(status)
        else { return nil }
        let failure = CachedResponse(
            response: response.head, data: response.data, timestamp: response.timestamp,
            requestTimestamp: sent,
            for: request)
        let isFresh = failure.terms.statedLifetime.map { $0 > 0 } ?? false
        return isFresh && !failure.isRedirected ? failure.withoutConnectionFields() : nil
    }

    /// Returns whether a hit replaces a response that didn't arrive.
    private func mayReplace(_ hit: CachedHit, _ now: Date) -> Bool {
        guard caching == .standard else { return !mustBeValidated(hit, now) }
        return hit.cached.mayReplace(
            serverError: false, for: RequestTerms(request), at: now, ignoresServerRules: ignoresServerRules)
    }

    /// Sends the request with the validators of a hit, otherwise with the validators of the caller's response.
    private mutating func sendAsking(about hit: CachedHit? = nil) -> Step {
        if let hit, let validators = hit.cached.validators, let asking = validators.asked(by: request) {
            phase = .sent(about: hit, isAsked: true)
            return .send(asking, asking: validators)
        }
        phase = .sent(about: hit, isAsked: false)
        guard let validators, let asking = validators.asked(by: request) else {
            return .send(request, asking: nil)
        }
        return .send(asking, asking: validators)
    }

    /// Called when the request is sent again without its validators.
    mutating func asksAnew() {
        if case .sent(let hit, _) = phase { phase = .sent(about: hit, isAsked: false) }
    }

    /// Called when the stages reject a stored response, for example after an update of the app.
    mutating func refused(_ hit: CachedHit, _ error: ServiceError) -> Step {
        switch phase {
        case .reading, .readingInstead: return .read(before: hit.stage)
        case .created, .sent, .decided: return decide(.take(PipelineAdapter(failure: error, plan)))
        }
    }

    /// Called when the server has responded.
    ///
    /// - Parameter error: The reason why the response isn't a success.
    mutating func received(_ response: ReceivedResponse, _ error: ServiceError?) -> Step {
        guard case .sent(let hit, let isAsked) = phase else { return .none }
        if response.head.statusCode == 304, isAsked, var hit {
            hit.isConfirmed = true
            let kept = hit.cached
            guard
                let confirmed = kept.confirmed(
                    by: response.head, at: response.timestamp, after: delay(of: response))
            else {
                return decide(.take(PipelineAdapter(response, failure: error, plan)))
            }
            hit.cached = confirmed
            hit.freshness = confirmed.freshness(at: response.timestamp)
            return decide(.confirm(kept.response, as: hit))
        }
        if let hit, caching == .standard, [500, 502, 503, 504].contains(response.head.statusCode),
            hit.cached.mayReplace(
                serverError: true, for: RequestTerms(request), at: response.timestamp,
                ignoresServerRules: ignoresServerRules)
        {
            return decide(.use(hit))
        }
        let input = PipelineAdapter(response, failure: error, plan)
        if let failure = failureToStore(response, error, hit) { return decide(.keep(failure, input)) }
        if isHead, response.head.statusCode == 200, error == nil {
            return decide(.compare(changedRequest, response, input))
        }
        // The resource is gone, so caches remove its response now instead of when it is stale.
        if caching != nil, Self.isGone(response.head.statusCode),
            !isAcceptable(response.head.statusCode)
        {
            return decide(.remove(request, input))
        }
        let changed = requestsToForget(after: response.head)
        if !changed.isEmpty { return decide(.forget(changed, input)) }
        return decide(.take(input))
    }

    /// Returns whether a head confirms the stored response, so that the stored response is served.
    func isConfirmed(by head: HTTPURLResponse) -> Bool {
        if case .sent(.some, isAsked: true) = phase { head.statusCode == 304 } else { false }
    }

    /// Returns the time from the request to the response, in seconds.
    func delay(of response: ReceivedResponse) -> TimeInterval {
        sent.map { response.timestamp.timeIntervalSince($0) } ?? 0
    }

    /// Returns the requests to invalidate when the head has arrived, once per attempt. They are invalidated again at
    /// the end, because a request that was sent in between may have received the earlier state.
    mutating func takeRequestsToForget(after head: HTTPURLResponse) -> [URLRequest] {
        if hasForgotten { return [] }
        hasForgotten = true
        return requestsToForget(after: head)
    }

    /// Returns the requests whose responses are invalidated by a success, if the caches don't take part in the request
    /// otherwise. They are the requests for its URL, and for the URLs of the same origin that the response names (RFC
    /// 9111 §4.4).
    private func requestsToForget(after head: HTTPURLResponse) -> [URLRequest] {
        guard case .sent = phase, caching == nil, !isHead, (200..<400).contains(head.statusCode) else {
            return []
        }
        let origin = request.url.flatMap(Origin.init)
        let named = ["Location", "Content-Location"].compactMap { name in
            head.value(forHTTPHeaderField: name).flatMap { URL(named: $0, from: head.url ?? request.url) }
        }.filter { Origin($0) == origin && $0 != request.url }
        // The URL that redirects led to was written.
        let target = [head.url].compactMap { $0 }.filter { $0 != request.url }
        return [changedRequest]
            + (target + named).map { url in
                var changed = changedRequest
                changed.url = url
                return changed
            }
    }

    /// The GET request whose response is invalidated by a request that isn't safe (RFC 9111 §4.4).
    private var changedRequest: URLRequest {
        var changed = request
        changed.httpMethod = "GET"
        changed.httpBody = nil
        return changed
    }

    /// Called when the transfer has failed, or the task's deadline has passed.
    mutating func failed(_ error: ServiceError) -> Step {
        switch phase {
        case .created where caching != nil && fallsBack && error.isTransportFailure,
            .sent where caching != nil && fallsBack && error.isTransportFailure:
            phase = .readingInstead(of: error)
            return .readInstead(before: plan.stages.count, hasTimedOut: error.reason == .timedOut)
        case .sent where caching == nil:
            // The request changed the resource, even if the response's body was interrupted.
            let changed = error.response.map { requestsToForget(after: $0) } ?? []
            return decide(
                changed.isEmpty
                    ? .take(PipelineAdapter(failure: error, plan))
                    : .forget(changed, PipelineAdapter(failure: error, plan)))
        // A cache that is still being read has used up its time.
        case .created, .reading, .sent, .readingInstead:
            return decide(.take(PipelineAdapter(failure: error, plan)))
        case .decided: return .none
        }
    }

    private mutating func decide(_ step: Step) -> Step {
        phase = .decided
        return step
    }
}

extension CachedResponse {
    /// Returns whether the response was received or confirmed within `maxAge`. Returns false if the clock was set back.
    fileprivate func isFresh(_ maxAge: Duration, _ now: Date) -> Bool {
        (0...max(0, maxAge.seconds)).contains(now.timeIntervalSince(timestamp))
    }
}

extension ServiceError {
    /// Whether no response arrived because of the network or the deadline, including during a token refresh.
    fileprivate var isTransportFailure: Bool {
        switch reason {
        case .transport, .timedOut: true
        case .authentication: authenticationFailure?.isTransportFailure ?? false
        default: false
        }
    }
}
