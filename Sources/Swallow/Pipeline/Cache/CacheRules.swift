import Foundation

/// Decides how a GET request uses stored responses, from the request's cache policy and `Cache-Control` (RFC 9111 §4).
struct CacheRules: Sendable {
    let policy: CachePolicy
    let directives: RequestDirectives
    var ignoresServerRules = false
}

extension CacheRules {
    enum BeforeSending: Sendable {
        /// Use the stored response, which may be a failure.
        case use
        /// Serve the stored response, and validate it in the background for the next request (RFC 5861 §3).
        case useAndRefresh
        /// Ignore a stored failure, and read the cache of an earlier stage, which may have a success.
        case skip
        /// Send the request, if possible with the stored response's validators.
        case validate
        case send
        /// Fail, because nothing may be sent and the caches have no response that may be served.
        case fail
    }

    func beforeSending(_ stored: StoredState?) -> BeforeSending {
        guard policy.readsFirst else { return .send }
        let sendsNothing = policy == .onlyCache || directives.onlyIfCached
        guard let stored else { return sendsNothing ? .fail : .send }
        if stored.isFailure { return mayUseFailure(stored) ? .use : .skip }
        if mayUse(stored) { return .use }
        if mayUseWhileValidating(stored) { return sendsNothing ? .use : .useAndRefresh }
        return sendsNothing ? .fail : .validate
    }

    private func mayUse(_ stored: StoredState) -> Bool {
        if mustValidate(stored) { return false }
        switch policy {
        case .onlyCache: return true
        case .standard: return isFreshEnough(stored)
        case .preferCache(let maxAge):
            return isFreshEnough(stored, atLeast: maxAge.seconds - stored.timeStored)
        case .validate, .networkFirst, .reload, .ignore: return false
        }
    }

    /// - Parameter preferred: The remaining lifetime in seconds that `preferCache` grants. The longer lifetime counts.
    private func isFreshEnough(
        _ stored: StoredState, atLeast preferred: TimeInterval = -.infinity
    ) -> Bool {
        guard !stored.isRedirected, let age = stored.age, let remaining = stored.remaining else {
            return false
        }
        return directives.allow(age: age, remaining: max(remaining, preferred))
    }

    private func mayUseWhileValidating(_ stored: StoredState) -> Bool {
        guard policy != .validate, !stored.isRedirected, let remaining = stored.remaining else {
            return false
        }
        return remaining <= 0 && -remaining < stored.directives.staleWhileRevalidate
            && !mustValidate(stored) && !directives.limitsAge
    }

    private func mayUseFailure(_ stored: StoredState) -> Bool {
        guard policy.servesStale, ReceivedState.isStorableFailure(stored.status) else { return false }
        return !mustValidate(stored) && isFreshEnough(stored)
    }

    /// Returns whether a directive of the request or the response requires validation (RFC 9111 §5.2.1.4, §5.2.2).
    private func mustValidate(_ stored: StoredState) -> Bool {
        if directives.requiresValidation { return true }
        if ignoresServerRules { return false }
        return stored.directives.requiresValidation || stored.directives.mustRevalidate && stored.isStale
    }
}

enum AfterResponse: Sendable {
    /// Complete with the response. The caches don't change.
    case serve
    /// Serve the response. The caches may store it.
    case store
    /// Store the failure, and complete with it.
    case storeFailure
    /// Serve the stored response, which the server has confirmed with a 304.
    case confirm
    /// Serve the stored response, even if it is stale, in place of a server error (RFC 5861 §4).
    case serveStale
    /// Update the stored response from a HEAD response, or make it stale if they differ (RFC 9111 §4.3.5).
    case compare
    /// Remove the stored response, because the server has reported its resource as missing (404 or 410).
    case remove
    /// Remove all stored responses for the URLs whose resources a request such as a PUT has changed (RFC 9111 §4.4).
    case invalidate
}

extension CacheRules {
    /// - Parameter stored: The stored success that was read before the request was sent, or `nil`.
    func afterResponse(
        _ received: ReceivedState, to stored: StoredState?, isConditional: Bool
    ) -> AfterResponse {
        if received.status == 304, isConditional, stored != nil { return .confirm }
        if let stored, [500, 502, 503, 504].contains(received.status),
            mayServeStale(stored, insteadOfServerError: true)
        {
            return .serveStale
        }
        // A failure doesn't replace a stored success, which may still be served offline. A 404 or 410 does.
        if received.isStorableFailure, stored == nil || received.isGone { return .storeFailure }
        if received.isGone { return .remove }
        return received.isStorable ? .store : .serve
    }

    /// Returns whether a stored response may be served instead of a failure (RFC 9111 §4.2.4, RFC 5861 §4).
    func mayServeStale(_ stored: StoredState, insteadOfServerError isServerError: Bool = false) -> Bool {
        guard policy.servesStale, !stored.isFailure, !mustValidate(stored) else { return false }
        if isServerError, stored.isRedirected { return false }
        let window = max(stored.directives.staleIfError, directives.staleIfError ?? 0)
        if let remaining = stored.remaining, window > 0, -remaining < window { return true }
        return !isServerError && (!directives.limitsAge || isFreshEnough(stored))
    }
}

enum CacheRole: Sendable {
    case get(CacheRules)
    case head
    /// A method that isn't safe, such as PUT. A response with status 2xx or 3xx invalidates stored responses.
    case write

    init?(_ request: URLRequest, _ policy: CachePolicy, ignoresServerRules: Bool = false) {
        switch request.httpMethod ?? "GET" {
        case "GET":
            if policy == .ignore || request.value(forHTTPHeaderField: "Range") != nil { return nil }
            self = .get(
                CacheRules(
                    policy: policy, directives: RequestDirectives(request),
                    ignoresServerRules: ignoresServerRules))
        case _ where policy == .onlyCache: return nil
        case "HEAD":
            if policy == .ignore { return nil }
            self = .head
        case let method:
            if HTTPSyntax.isSafe(method) { return nil }
            self = .write
        }
    }

    func afterResponse(
        _ received: ReceivedState, to stored: StoredState? = nil, isConditional: Bool = false
    ) -> AfterResponse {
        switch self {
        case .get(let rules): rules.afterResponse(received, to: stored, isConditional: isConditional)
        case .head: received.status == 200 && received.failure == nil ? .compare : .serve
        case .write: (200..<400).contains(received.status) ? .invalidate : .serve
        }
    }
}

extension URLRequest {
    /// Returns GET requests for the stored responses that this request invalidates (RFC 9111 §4.4). Their URLs are the
    /// URLs of this request and its response, and those of the same origin in `Location` and `Content-Location`.
    func invalidated(by head: HTTPURLResponse) -> [URLRequest] {
        let origin = url.flatMap(Origin.init)
        let named = ["Location", "Content-Location"].compactMap { name in
            head.value(forHTTPHeaderField: name).flatMap { URL(named: $0, from: head.url ?? url) }
        }.filter { Origin($0) == origin }
        let others = ([head.url].compactMap { $0 } + named).filter { $0 != url }
        return [get()] + others.map(get)
    }

    /// Returns a GET request with this request's fields, to look up responses. If `url` isn't `nil`, it is the new URL.
    func get(_ url: URL? = nil) -> URLRequest {
        var request = self
        request.httpMethod = "GET"
        request.httpBody = nil
        if let url { request.url = url }
        return request
    }
}
