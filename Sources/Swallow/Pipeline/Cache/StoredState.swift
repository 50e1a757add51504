import Foundation

struct StoredState: Sendable {
    let status: Int
    let directives: ResponseDirectives
    /// The age in seconds, or `nil` if it is unknown, for example because the clock was set back.
    let age: TimeInterval?
    /// The time since the response was received or confirmed, in seconds.
    let timeStored: TimeInterval
    let isRedirected: Bool
    /// Whether the request doesn't accept the status.
    var isFailure = false

    /// The seconds until the response is stale. Zero or negative if it is stale, and `nil` if its age is unknown.
    var remaining: TimeInterval? { age.map { directives.lifetime - $0 } }
    var isStale: Bool { remaining.map { $0 <= 0 } ?? true }

    var freshness: Freshness {
        if let age, !isRedirected { return Freshness(directives, age: age) }
        return Freshness(age: Freshness.duration(age ?? max(0, timeStored)), lifetime: .zero)
    }
}

extension CachedResponse {
    /// Returns the freshness of the response at a time (RFC 9111 §4.2).
    ///
    /// The lifetime is zero after redirects, if a HEAD response differed, or if `now` is before ``timestamp``.
    public func freshness(at now: Date) -> Freshness { state(at: now).freshness }

    func state(at now: Date) -> StoredState {
        let time = now.timeIntervalSince(timestamp)
        let age = initialAge.flatMap { $0 >= 0 && time >= 0 && time.isFinite ? $0 + time : nil }
        return StoredState(
            status: head.statusCode, directives: directives, age: age, timeStored: time,
            isRedirected: isRedirected)
    }

    /// Returns whether a request's conditional fields show that the caller has this response (RFC 9110 §13.2.2).
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
        // If there is no `Last-Modified`, compare `Date`, or otherwise the timestamp (RFC 9111 §4.3.2).
        if let field = response.value(forHTTPHeaderField: "Last-Modified") {
            return date(field).map { $0 <= since } ?? false
        }
        return date(response.value(forHTTPHeaderField: "Date")) ?? timestamp <= since
    }
}

struct ReceivedState: Sendable {
    let status: Int
    var failure: ServiceError.Reason?
    var isExplicitlyFresh = false

    /// Whether caches may store the response as a success. The caches decide about `no-store` (RFC 9111 §3).
    var isStorable: Bool { failure == nil && status != 206 && status != 304 }
    var isStorableFailure: Bool {
        failure == .unacceptableStatus && isExplicitlyFresh && Self.isStorableFailure(status)
    }
    var isGone: Bool { failure == .unacceptableStatus && (status == 404 || status == 410) }

    /// Returns whether caches may store a failure with this status if the server states how long it is fresh.
    static func isStorableFailure(_ status: Int) -> Bool {
        [404, 405, 410, 414].contains(status) || (500..<600).contains(status)
    }
}
