import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension CachedResponse {
    /// Returns the freshness of the response at a time (RFC 9111 §4.2), from its fields and from the times of its
    /// request and its arrival.
    ///
    /// The lifetime is zero if the age is unknown. This happens if a response to HEAD differed from the stored response,
    /// or if the clock was set back.
    public func freshness(at now: Date) -> Freshness {
        if let (age, _) = times(at: now) {
            // The response's fields don't state how long the redirect is valid.
            return isRedirected
                ? Freshness(age: Freshness.duration(age), lifetime: .zero) : Freshness(terms, age: age)
        }
        let time = now.timeIntervalSince(timestamp)
        return Freshness(age: Freshness.duration(time > 0 ? time : 0), lifetime: .zero)
    }

    /// The way a cache may use the response.
    enum Use: Sendable, Hashable {
        case unasked
        /// Serve the response at once, and validate it in the background for the next request (RFC 5861 §3).
        case whileAsking
        /// Serve the response after the server has confirmed it.
        case onceConfirmed
    }

    /// Returns how the response may be used for a request (RFC 9111 §4).
    ///
    /// - Parameter ignoresServerRules: Whether `no-cache` and `must-revalidate` are ignored.
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

    /// Returns whether the request's own conditions show that the caller has the response (RFC 9110 §13.2.2).
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
        // Without `Last-Modified`, the response's `Date` replaces it, otherwise the time of arrival (RFC 9111 §4.3.2).
        if let field = response.value(forHTTPHeaderField: "Last-Modified") {
            return date(field).map { $0 <= since } ?? false
        }
        return date(response.value(forHTTPHeaderField: "Date")) ?? timestamp <= since
    }

    /// Returns whether the response may be served if no response arrives, or if the server responds with a server error
    /// (RFC 9111 §4.2.4, RFC 5861 §4).
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

    /// Returns age and lifetime in seconds, or `nil` if they are unknown.
    func times(at now: Date) -> (age: TimeInterval, lifetime: TimeInterval)? {
        let time = now.timeIntervalSince(timestamp)
        guard let initialAge, initialAge >= 0, time >= 0, time.isFinite else { return nil }
        return (initialAge + time, terms.lifetime)
    }
}
