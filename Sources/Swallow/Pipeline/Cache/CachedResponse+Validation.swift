import Foundation

extension CachedResponse {
    /// Returns this response, updated by a confirming 304 except for connection and body fields (RFC 9111 §3.2).
    ///
    /// - Parameter delay: The time from the request to the 304, in seconds.
    /// - Returns: `nil` if the validators of the 304 don't match this response.
    func confirmed(
        by answer: HTTPURLResponse, at timestamp: Date, after delay: TimeInterval = 0
    ) -> CachedResponse? {
        guard validators?.match(answer) ?? true else { return nil }
        var headers = Headers(response)
        // Age and lifetime are counted from the 304.
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

    /// Returns whether a HEAD response with this head describes this response.
    func isSame(as head: HTTPURLResponse) -> Bool {
        guard response.statusCode == head.statusCode else { return false }
        let lengths = [response, head].compactMap { $0.value(forHTTPHeaderField: "Content-Length") }
        return Set(lengths).count < 2
            && (Validators(of: response)?.match(head) ?? (Validators(of: head) == nil))
    }

    /// The validators for a conditional request. `nil` if the response has none, or if redirects led to it.
    var validators: Validators? { isRedirected ? nil : Validators(of: response) }

    /// Returns whether only the timestamp differs, or a `Date` that doesn't affect the lifetime.
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

    /// Returns the response without the fields that apply to one connection (RFC 9111 §3.1).
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
