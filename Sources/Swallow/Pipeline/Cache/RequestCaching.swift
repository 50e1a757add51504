import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What the caches of a pipeline have to do with one request: the decisions, without the calls.
///
/// The task asks for the next step under its lock, and carries the step out without the lock. A task has this value
/// only if its pipeline has caches that take part.
struct RequestCaching: Sendable {
    enum Step: Sendable {
        /// Do nothing: the outcome has been decided before.
        case none
        /// Look into the caches of the stages before one.
        case read(before: Int)
        /// The same, after the transfer has failed. After a timeout, reading has the timeout once more.
        case readInstead(before: Int, hasTimedOut: Bool)
        /// Fail: no cache has a response that may be used.
        case miss
        /// Hand the request to the data source, which may ask whether a response is still right by these validators.
        case send(URLRequest, asking: Validators?)
        /// Make content of what a cache has.
        case use(CachedHit)
        /// The same, and refresh it from the server for the next request.
        case useAndRefresh(CachedHit)
        /// Note in the caches what became of a response that is still right, and make content of it.
        case confirm(HTTPURLResponse, as: CachedHit)
        /// Make the caches forget the responses for some requests' URLs, and take the server's.
        case forget([URLRequest], PipelineAdapter)
        /// Remove a request's response from the caches, and take the server's.
        case remove(URLRequest, PipelineAdapter)
        /// Make the caches compare their response with a HEAD response, and take that.
        case compare(URLRequest, ReceivedResponse, PipelineAdapter)
        /// Take a 304 in place of what a cache has: the request's own conditions say that the caller has it.
        case notModified(CachedHit)
        /// Fail with what a cache has.
        case fail(CachedHit)
        /// Store a failure in the caches, and fail with it.
        case keep(CachedResponse, PipelineAdapter)
        /// Take what the server says.
        case take(PipelineAdapter)
    }

    private enum Phase {
        case created
        /// The caches are read before the request is sent.
        case reading
        /// The request is on its way; indirect, since most have nothing to confirm.
        indirect case sent(about: CachedHit?, isAsked: Bool)
        /// The transfer has failed, and the caches are read for what takes the response's place.
        case readingInstead(of: ServiceError)
        case decided
    }

    /// The request, by which the caches know the response.
    private var request: URLRequest
    /// How the caches take part; nil for HEAD, and for a request whose success makes what they have out of date.
    private let caching: EntityCaching?
    private let isHead: Bool
    private let fallsBack: Bool
    /// The validators of a response that the caller has.
    private let validators: Validators?
    private let plan: PipelinePlan
    /// The latest wipe when the request began. A response that a later wipe concerns isn't kept.
    let latestWipe = CacheWipes.latest
    /// Whether a response may be used even where the server demands to be asked first.
    private let ignoresServerRules: Bool
    private let isAcceptable: @Sendable (Int) -> Bool
    /// When the request went out last.
    var sent: Date? { didSet { hasForgotten = false } }
    /// Whether the caches were told to forget what it has changed since then.
    private var hasForgotten = false
    private var phase = Phase.created

    /// - Parameters:
    ///   - fallsBack: whether what a cache has takes the place of a response that doesn't come.
    ///   - validators: those of a response that the caller has, sent where no cache sends its own.
    ///   - isAcceptable: whether a status is a success: what one request accepts may be a failure for another.
    /// - Returns: nil where no cache takes part.
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

    /// What the response is to be kept for; nil where it isn't to be kept.
    var requestToKeep: URLRequest? { caching == nil ? nil : request }

    /// Takes the credential that the request is sent with, where caches know responses by it: the one there was before may
    /// have been refused.
    mutating func noteCredential(_ field: String?) {
        if request.authorization != field { request = request.authorized(by: field) }
    }

    /// The task starts.
    mutating func start() -> Step {
        guard case .created = phase else { return .none }
        switch caching {
        case .prefer?, .revalidate?, .only?, .standard?:
            phase = .reading
            return .read(before: plan.stages.count)
        case nil, .ignore?, .fallback?: return sendAsking()
        }
    }

    /// The caches were read.
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

    /// Whether the request or the server wants a cached response to be confirmed before it is used.
    private func mustBeValidated(_ hit: CachedHit, _ now: Date) -> Bool {
        request.asksServer || !ignoresServerRules && hit.cached.mustBeValidated(now)
    }

    /// Whether only caches are to be asked.
    private var sendsNothing: Bool {
        caching == .only || caching == .standard && RequestTerms(request).asksOnlyCaches
    }

    /// Fails with a stored failure while it is fresh. Otherwise an earlier stage's cache may have a success.
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

    /// Whether a hit takes the place of a response that doesn't come.
    private func mayReplace(_ hit: CachedHit, _ now: Date) -> Bool {
        guard caching == .standard else { return !mustBeValidated(hit, now) }
        return hit.cached.mayReplace(
            serverError: false, for: RequestTerms(request), at: now, ignoresServerRules: ignoresServerRules)
    }

    /// Sends the request, with the validators of a hit or else of what the caller has.
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

    /// The request goes out again, without the validators that it was sent with.
    mutating func asksAnew() {
        if case .sent(let hit, _) = phase { phase = .sent(about: hit, isAsked: false) }
    }

    /// The stages don't take what a cache had, after an update of the app, say.
    mutating func refused(_ hit: CachedHit, _ error: ServiceError) -> Step {
        switch phase {
        case .reading, .readingInstead: return .read(before: hit.stage)
        case .created, .sent, .decided: return decide(.take(PipelineAdapter(failure: error, plan)))
        }
    }

    /// The server has answered.
    ///
    /// - Parameter error: why the response is no success.
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
        // The resource is gone: caches forget it now, not only once it is stale.
        if caching != nil, Self.isGone(response.head.statusCode),
            !isAcceptable(response.head.statusCode)
        {
            return decide(.remove(request, input))
        }
        let changed = requestsToForget(after: response.head)
        if !changed.isEmpty { return decide(.forget(changed, input)) }
        return decide(.take(input))
    }

    /// Whether a head says that what a cache has is still right, so that it is the response.
    func isConfirmed(by head: HTTPURLResponse) -> Bool {
        if case .sent(.some, isAsked: true) = phase { head.statusCode == 304 } else { false }
    }

    /// How many seconds an answer took.
    func delay(of response: ReceivedResponse) -> TimeInterval {
        sent.map { response.timestamp.timeIntervalSince($0) } ?? 0
    }

    /// What the caches are to forget once the head has come, the first time in a try. At the end they forget it again: a request
    /// that was sent in between may have got what was there before.
    mutating func takeRequestsToForget(after head: HTTPURLResponse) -> [URLRequest] {
        if hasForgotten { return [] }
        hasForgotten = true
        return requestsToForget(after: head)
    }

    /// The requests whose responses the caches are to forget after a success that they have no other part in: those for its
    /// URL, and for the URLs of its origin that it names (RFC 9111 §4.4).
    private func requestsToForget(after head: HTTPURLResponse) -> [URLRequest] {
        guard case .sent = phase, caching == nil, !isHead, (200..<400).contains(head.statusCode) else {
            return []
        }
        let origin = request.url.flatMap(Origin.init)
        let named = ["Location", "Content-Location"].compactMap { name in
            head.value(forHTTPHeaderField: name).flatMap { URL(named: $0, from: head.url ?? request.url) }
        }.filter { Origin($0) == origin && $0 != request.url }
        // Where redirects led is what was written.
        let target = [head.url].compactMap { $0 }.filter { $0 != request.url }
        return [changedRequest]
            + (target + named).map { url in
                var changed = changedRequest
                changed.url = url
                return changed
            }
    }

    /// What a request that isn't safe makes out of date (RFC 9111 §4.4).
    private var changedRequest: URLRequest {
        var changed = request
        changed.httpMethod = "GET"
        changed.httpBody = nil
        return changed
    }

    /// The transfer has failed, or the task's time is over.
    mutating func failed(_ error: ServiceError) -> Step {
        switch phase {
        case .created where caching != nil && fallsBack && error.isTransportFailure,
            .sent where caching != nil && fallsBack && error.isTransportFailure:
            phase = .readingInstead(of: error)
            return .readInstead(before: plan.stages.count, hasTimedOut: error.reason == .timedOut)
        case .sent where caching == nil:
            // It was written to, even if the answer's body broke off.
            let changed = error.response.map { requestsToForget(after: $0) } ?? []
            return decide(
                changed.isEmpty
                    ? .take(PipelineAdapter(failure: error, plan))
                    : .forget(changed, PipelineAdapter(failure: error, plan)))
        // A cache that is still being read has had its time.
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
    /// Whether the response was received, or confirmed, no longer ago than that; never if the clock was set back.
    fileprivate func isFresh(_ maxAge: Duration, _ now: Date) -> Bool {
        (0...max(0, maxAge.seconds)).contains(now.timeIntervalSince(timestamp))
    }
}

extension ServiceError {
    /// Whether no response came because of the network or the time, also in a token refresh.
    fileprivate var isTransportFailure: Bool {
        switch reason {
        case .transport, .timedOut: true
        case .authentication: authenticationFailure?.isTransportFailure ?? false
        default: false
        }
    }
}
