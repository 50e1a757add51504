import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension CachedResponse {
    /// Returns the response after a 304 has confirmed it. It has the 304's fields, except those that describe the
    /// connection or the body (RFC 9111 §4.3.4, §3.2).
    ///
    /// - Parameter delay: The time from the request to the 304, in seconds.
    /// - Returns: `nil` if the 304's validators belong to another response.
    func confirmed(
        by answer: HTTPURLResponse, at timestamp: Date, after delay: TimeInterval = 0
    ) -> CachedResponse? {
        guard validators?.match(answer) ?? true else { return nil }
        var headers = Headers(response)
        // Age and lifetime are counted from the 304.
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
        confirmed.initialAge = confirmed.directives.initialAge(after: delay)
        return confirmed
    }

    /// Returns whether the head of a HEAD response can belong to this response.
    func isSame(as head: HTTPURLResponse) -> Bool {
        guard response.statusCode == head.statusCode else { return false }
        let lengths = [response, head].compactMap { $0.value(forHTTPHeaderField: "Content-Length") }
        return Set(lengths).count < 2
            && (Validators(of: response)?.match(head) ?? (Validators(of: head) == nil))
    }

    /// The validators for a conditional request. `nil` if the response has none, or if redirects led to it.
    var validators: Validators? { isRedirected ? nil : Validators(of: response) }

    /// Returns whether a cache that has this response needs only the other response's timestamp. A new `Date` alone
    /// isn't worth writing the response again, unless the lifetime is counted from it.
    func differsOnlyInTime(from other: CachedResponse) -> Bool {
        guard let age = initialAge, let otherAge = other.initialAge, abs(age - otherAge) < 1 else {
            return false
        }
        var (own, others) = (Headers(response), Headers(other.response))
        if directives.countsFromDate {
            // Without the field, the lifetime is counted from the timestamp.
            if own["Date"] == nil, timestamp != other.timestamp { return false }
        } else {
            own["Date"] = nil
            others["Date"] = nil
        }
        return own == others
    }

    /// Returns the response in the form that caches store, without the fields that apply to one connection (RFC 9111
    /// §3.1).
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
