import Foundation

extension CachedResponse {
    /// Returns this response, updated with the fields of a 304 or HEAD response, except `Vary` and some others (RFC
    /// 9111 §3.2). `nil` if the validators don't match. `delay` is the time in seconds from the request to `answer`.
    func confirmed(
        by answer: HTTPURLResponse, at timestamp: Date, after delay: TimeInterval = 0
    ) -> CachedResponse? {
        guard validators?.match(answer) ?? true else { return nil }
        var headers = Headers(response)
        // From now on, age and lifetime are counted from the new response.
        headers["Age"] = nil
        headers["Date"] = nil
        for (name, value) in Headers(answer).withoutConnectionFields where !Self.bodyFields.contains(name) {
            headers[name] = value
        }
        var confirmed = self
        confirmed.timestamp = timestamp
        confirmed.response = response.with(headers)
        confirmed.initialAge = confirmed.directives.initialAge(after: delay)
        return confirmed
    }

    func isSame(as head: HTTPURLResponse) -> Bool {
        guard response.statusCode == head.statusCode else { return false }
        let lengths = [response, head].compactMap { $0.value(forHTTPHeaderField: "Content-Length") }
        return Set(lengths).count < 2
            && (Validators(of: response)?.match(head) ?? (Validators(of: head) == nil))
    }

    /// The validators for a conditional request. `nil` if there are none, or if redirects led to this response.
    var validators: Validators? { isRedirected ? nil : Validators(of: response) }

    func differsOnlyInTime(from other: CachedResponse) -> Bool {
        guard let age = initialAge, let otherAge = other.initialAge, abs(age - otherAge) < 1 else {
            return false
        }
        var (own, others) = (Headers(response), Headers(other.response))
        if directives.countsFromDate {
            // Without `Date`, the lifetime is counted from the timestamp.
            if own["Date"] == nil, timestamp != other.timestamp { return false }
        } else {
            own["Date"] = nil
            others["Date"] = nil
        }
        return own == others
    }

    func withoutConnectionFields() -> CachedResponse {
        let headers = Headers(response)
        let remaining = headers.withoutConnectionFields
        if remaining == headers { return self }
        var copy = self
        copy.response = response.with(remaining)
        return copy
    }

    private static let bodyFields: Set<Headers.Name> = [
        "Content-Encoding", "Content-Length", "Content-Range", "Content-Type", "Trailer", "Vary",
    ]
}

extension Headers {
    fileprivate var withoutConnectionFields: Headers {
        let named = self["Connection"].map { HTTPSyntax.elements(of: $0).map { Headers.Name($0) } } ?? []
        var remaining = self
        for name in Self.connectionFields + named { remaining[name] = nil }
        return remaining
    }

    private static let connectionFields: [Headers.Name] = [
        "Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Authorization",
        "Proxy-Connection", "TE", "Transfer-Encoding", "Upgrade",
    ]
}
