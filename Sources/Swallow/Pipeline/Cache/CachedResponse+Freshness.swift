import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension CachedResponse {
    /// How fresh the response is at a time (RFC 9111 §4.2): by what its fields say, and by when it was asked for and came.
    ///
    /// It has no lifetime where nothing can be told: where an earlier version of this library has kept it, or the clock was set
    /// back.
    public func freshness(at now: Date) -> Freshness {
        if let (age, _) = times(at: now) {
            // It says nothing of how long the redirect holds.
            return isRedirected
                ? Freshness(age: Freshness.duration(age), lifetime: .zero) : Freshness(terms, age: age)
        }
        let time = now.timeIntervalSince(timestamp)
        return Freshness(age: Freshness.duration(time > 0 ? time : 0), lifetime: .zero)
    }

    /// How a cache may use the response.
    enum Use: Sendable, Hashable {
        case unasked
        /// At once, while the server is asked for the next time (RFC 5861 §3).
        case whileAsking
        /// Once the server has confirmed it.
        case onceConfirmed
    }

    /// How a request may have the response (RFC 9111 §4).
    ///
    /// - Parameter ignoresServerRules: whether the app knows better than `no-cache` and `must-revalidate`.
    func use(for request: RequestTerms, at now: Date, ignoresServerRules: Bool) -> Use {
        guard !isRedirected, let (age, lifetime) = times(at: now), ignoresServerRules || !terms.asksAlways
        else {
            return .onceConfirmed
        }
        let remaining = lifetime - age
        let mayBeStale = ignoresServerRules || !terms.asksOnceStale
        if request.allow(age: age, remaining: remaining), remaining > 0 || mayBeStale { return .unasked }
        let isInTime = remaining <= 0 && -remaining < terms.whileRevalidating
        return isInTime && mayBeStale && !request.limitsAge ? .whileAsking : .onceConfirmed
    }

    /// Whether a request's own conditions say that the caller has the response (RFC 9110 §13.2.2).
    func isKnown(by request: URLRequest) -> Bool {
        if let tags = request.value(forHTTPHeaderField: "If-None-Match") {
            guard let tag = response.value(forHTTPHeaderField: "ETag").map(Validators.opaqueTag) else {
                return false
            }
            return HTTPSyntax.parts(of: tags).contains { part in
                part.trimmingSpaces == "*" || Validators.opaqueTag(String(part.trimmingSpaces)) == tag
            }
        }
        func date(_ field: String?) -> Date? { field.flatMap { HTTPDate.strictDate($0) } }
        guard let since = date(request.value(forHTTPHeaderField: "If-Modified-Since")) else { return false }
        // Without the field the response's date stands for it, or when it came (RFC 9111 §4.3.2).
        if let field = response.value(forHTTPHeaderField: "Last-Modified") {
            return date(field).map { $0 <= since } ?? false
        }
        return date(response.value(forHTTPHeaderField: "Date")) ?? timestamp <= since
    }

    /// Whether the response may take the place of one that doesn't come, or that is a server's error (RFC 9111 §4.2.4,
    /// RFC 5861 §4).
    func mayReplace(
        serverError isServerError: Bool, for request: RequestTerms, at now: Date, ignoresServerRules: Bool
    ) -> Bool {
        if request.asksServer || !ignoresServerRules && terms.asksAlways { return false }
        if isServerError, isRedirected { return false }
        let staleness = times(at: now).map { $0.age - $0.lifetime }
        if !ignoresServerRules, terms.asksOnceStale, staleness.map({ $0 >= 0 }) ?? true { return false }
        let window = max(terms.insteadOfError, request.insteadOfError ?? 0)
        if let staleness, window > 0, staleness < window { return true }
        return !isServerError && !request.limitsAge
    }

    /// Age and lifetime in seconds; nil where they can't be told.
    func times(at now: Date) -> (age: TimeInterval, lifetime: TimeInterval)? {
        let time = now.timeIntervalSince(timestamp)
        guard let initialAge, initialAge >= 0, time >= 0, time.isFinite else { return nil }
        return (initialAge + time, terms.lifetime)
    }
}
