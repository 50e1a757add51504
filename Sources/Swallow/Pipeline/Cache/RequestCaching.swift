import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What the caches of a pipeline have to do with one request: the decisions, without the calls.
///
/// Its task asks at each turn what comes next, under its lock, and carries the step out without it. It is a task's only
/// where its pipeline has caches, and they take part.
struct RequestCaching: Sendable {
    enum Step: Sendable {
        /// Nothing: it has been decided otherwise before.
        case none
        /// Look into the caches of the stages before one.
        case read(before: Int)
        /// The same, in place of a response that will not come. After a timeout reading has as much time again.
        case readInstead(before: Int, hasTimedOut: Bool)
        /// End with what says that no cache has the response.
        case miss
        /// Hand the request to the data source, which may ask whether a response is still right by these validators.
        case send(URLRequest, asking: Validators?)
        /// Make content of what a cache has.
        case use(CachedHit)
        /// Note in the caches what became of a response that is still right, and make content of it.
        case confirm(HTTPURLResponse, as: CachedHit)
        /// Have the caches forget the responses for a request's URL, and take the server's.
        case forget(URLRequest, PipelineInput)
        /// Take what the server says.
        case take(PipelineInput)
    }

    private enum Phase {
        case created
        /// The caches are read before the request is sent.
        case reading
        /// The request is on its way; indirect, since most have nothing to confirm.
        indirect case sent(confirming: CachedHit?)
        /// The transfer has failed, and the caches are read for what takes the response's place.
        case readingInstead(of: ServiceError)
        case settled
    }

    /// What the caches know the response by.
    private var request: URLRequest
    /// How they take part; nil for a request whose success makes what they have out of date.
    private let caching: EntityCaching?
    private let fallsBack: Bool
    /// The validators of a response that the caller has.
    private let validators: Validators?
    private let stageCount: Int
    /// The latest wipe when the request began: what a later one forgets isn't kept.
    let latestWipe = CacheWipes.latest
    /// Whether what the server wants to be asked about may be used unasked.
    private let ignoresServerRules: Bool
    private let isAcceptable: @Sendable (Int) -> Bool
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
        if method == "GET", caching != .ignore, request.value(forHTTPHeaderField: "Range") == nil {
            self.caching = caching
        } else if caching != .only, !HTTPSyntax.isSafe(method) {
            self.caching = nil
        } else {
            return nil
        }
        self.request = request
        self.fallsBack = fallsBack
        self.validators = validators
        self.stageCount = plan.stages.count
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
        case .prefer?, .revalidate?, .only?:
            phase = .reading
            return .read(before: stageCount)
        case nil, .ignore?, .fallback?: return sendAsking()
        }
    }

    /// The caches were read.
    mutating func found(_ hit: CachedHit?, now: Date = Date()) -> Step {
        let hit = hit.flatMap { isAcceptable($0.cached.response.statusCode) ? $0 : nil }
        switch (phase, hit) {
        case (.reading, let hit?): return use(hit, now)
        case (.reading, nil) where caching == .only: return settle(.miss)
        case (.reading, nil): return sendAsking()
        case (.readingInstead, let hit?) where !mustBeValidated(hit, now): return .use(hit)
        case (.readingInstead(let error), _): return settle(.take(PipelineInput(error: error)))
        case (.created, _), (.sent, _), (.settled, _): return .none
        }
    }

    private mutating func use(_ hit: CachedHit, _ now: Date) -> Step {
        switch caching {
        case .prefer(let maxAge)?
        where hit.cached.isFresh(maxAge, now) && !hit.cached.isRedirected && !mustBeValidated(hit, now):
            return .use(hit)
        case .only?: return mustBeValidated(hit, now) ? settle(.miss) : .use(hit)
        case .revalidate?, .prefer?:
            return sendAsking(about: hit)
        case nil, .ignore?, .fallback?: return sendAsking()
        }
    }

    /// Whether the request or the server wants a cached response to be confirmed before it is used.
    private func mustBeValidated(_ hit: CachedHit, _ now: Date) -> Bool {
        request.asksServer || !ignoresServerRules && hit.cached.mustBeValidated(now)
    }

    /// Sends the request, with the validators of a hit or else of what the caller has.
    private mutating func sendAsking(about hit: CachedHit? = nil) -> Step {
        if let hit, let validators = hit.cached.validators, let asking = validators.asked(by: request) {
            phase = .sent(confirming: hit)
            return .send(asking, asking: validators)
        }
        phase = .sent(confirming: nil)
        guard let validators, let asking = validators.asked(by: request) else {
            return .send(request, asking: nil)
        }
        return .send(asking, asking: validators)
    }

    /// The request goes out again, without the validators that it was sent with.
    mutating func asksAnew() {
        if case .sent = phase { phase = .sent(confirming: nil) }
    }

    /// The stages don't take what a cache had, after an update of the app, say.
    mutating func refused(_ hit: CachedHit, _ error: ServiceError) -> Step {
        switch phase {
        case .reading, .readingInstead: return .read(before: hit.stage)
        case .created, .sent, .settled: return settle(.take(PipelineInput(error: error)))
        }
    }

    /// The server has answered.
    ///
    /// - Parameter error: why the response is no success.
    mutating func received(_ response: ReceivedResponse, _ error: ServiceError?) -> Step {
        guard case .sent(let hit) = phase else { return .none }
        if response.head.statusCode == 304, var hit {
            hit.isConfirmed = true
            let kept = hit.cached
            guard let confirmed = kept.confirmed(by: response.head, at: response.timestamp) else {
                return settle(.take(PipelineInput(response, error: error)))
            }
            hit.cached = confirmed
            return settle(.confirm(kept.response, as: hit))
        }
        let input = PipelineInput(response, error: error)
        if let changed = requestToForget(after: response.head) { return settle(.forget(changed, input)) }
        return settle(.take(input))
    }

    /// Whether a head says that what a cache has is still right, so that it is the response.
    func isConfirmed(by head: HTTPURLResponse) -> Bool {
        if case .sent(confirming: .some) = phase { head.statusCode == 304 } else { false }
    }

    /// The request whose responses the caches are to forget after a success that they have no other part in.
    func requestToForget(after head: HTTPURLResponse) -> URLRequest? {
        guard case .sent = phase, caching == nil, (200..<400).contains(head.statusCode) else { return nil }
        return changedRequest
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
            return .readInstead(before: stageCount, hasTimedOut: error.reason == .timedOut)
        // A cache that is still being read has had its time.
        case .created, .reading, .sent, .readingInstead: return settle(.take(PipelineInput(error: error)))
        case .settled: return .none
        }
    }

    private mutating func settle(_ step: Step) -> Step {
        phase = .settled
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
    /// Whether no response came because of the network or the time.
    fileprivate var isTransportFailure: Bool {
        switch reason {
        case .transport, .timedOut: true
        default: false
        }
    }
}
