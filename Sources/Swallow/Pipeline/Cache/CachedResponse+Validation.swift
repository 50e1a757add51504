import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension CachedResponse {
    /// Whether the server wants to be asked before the response is used again: always, with `no-cache`
    /// (RFC 9111 §5.2.2.4), or once it is stale, with `must-revalidate` (§5.2.2.2). That is at once where the server
    /// doesn't say when.
    func mustBeValidated(_ now: Date) -> Bool {
        if terms.asksAlways { return true }
        guard terms.asksOnceStale else { return false }
        guard let (age, _) = times(at: now) else { return true }
        return age >= terms.statedLifetime ?? 0
    }

    /// The response after a 304 has confirmed it: with the 304's fields, except those that belong to the connection
    /// or to the body (RFC 9111 §4.3.4, §3.2).
    ///
    /// - Parameter delay: how many seconds the answer took.
    /// - Returns: nil where the 304 is about another response, by its validators.
    func confirmed(
        by answer: HTTPURLResponse, at timestamp: Date, after delay: TimeInterval = 0
    ) -> CachedResponse? {
        guard validators?.match(answer) ?? true else { return nil }
        var headers = Headers(response)
        // An age counts from the answer on, and so does a lifetime.
        headers["Age"] = nil
        headers["Date"] = nil
        let answered = Headers(answer)
        let hops = answered["Connection"].map(HTTPSyntax.elements)?.map { Headers.Name($0) } ?? []
        for (name, value) in answered where !Self.keptFields.contains(name) && !hops.contains(name) {
            headers[name] = value
        }
        var confirmed = self
        confirmed.timestamp = timestamp
        guard
            let url = response.url,
            let head = HTTPURLResponse(
                url: url, statusCode: response.statusCode, httpVersion: "HTTP/1.1",
                headerFields: headers.combined)
        else { return confirmed }
        confirmed.response = head
        confirmed.initialAge = confirmed.terms.initialAge(after: delay)
        return confirmed
    }

    /// Whether the head of an answer to HEAD can be this response's.
    func isSame(as head: HTTPURLResponse) -> Bool {
        guard response.statusCode == head.statusCode else { return false }
        let lengths = [response, head].compactMap { $0.value(forHTTPHeaderField: "Content-Length") }
        return Set(lengths).count < 2
            && (Validators(of: response)?.match(head) ?? (Validators(of: head) == nil))
    }

    /// The validators to ask the server with; nil if the response has none, or if redirects led to it.
    var validators: Validators? { isRedirected ? nil : Validators(of: response) }

    /// Whether a cache that has this response needs only the other one's timestamp. A new `Date` alone isn't worth
    /// writing it anew, unless the lifetime is counted from it.
    func differsOnlyInTime(from other: CachedResponse) -> Bool {
        guard let age = initialAge, let otherAge = other.initialAge, abs(age - otherAge) < 1 else {
            return false
        }
        var (own, others) = (Headers(response), Headers(other.response))
        if terms.countsFromDate {
            // Without the field the lifetime counts from the timestamp.
            if own["Date"] == nil, timestamp != other.timestamp { return false }
        } else {
            own["Date"] = nil
            others["Date"] = nil
        }
        return own == others
    }

    /// The response as a cache keeps it: without the fields that were for one connection (RFC 9111 §3.1).
    func withoutConnectionFields() -> CachedResponse {
        let fields = response.fields
        let named = fields.first { $0.key.lowercased() == "connection" }?.value
        let dropped = Self.connectionFields.union(
            named.map { HTTPSyntax.elements(of: $0).map { Headers.Name($0) } } ?? [])
        let kept = fields.filter { !dropped.contains(Headers.Name($0.key)) }
        guard kept.count < fields.count, let url = response.url,
            let head = HTTPURLResponse(
                url: url, statusCode: response.statusCode, httpVersion: "HTTP/1.1", headerFields: kept)
        else { return self }
        var copy = self
        copy.response = head
        return copy
    }

    private static let connectionFields: Set<Headers.Name> = [
        "Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Authorization",
        "Proxy-Connection", "TE", "Transfer-Encoding", "Upgrade",
    ]

    private static let keptFields: Set<Headers.Name> = [
        "Connection", "Content-Encoding", "Content-Length", "Content-Range", "Content-Type", "Keep-Alive",
        "Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Connection", "TE", "Trailer",
        "Transfer-Encoding", "Upgrade", "Vary",
    ]
}
