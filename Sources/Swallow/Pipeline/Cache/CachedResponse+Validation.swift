import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension CachedResponse {
    /// Whether the server wants to be asked before the response is used again: always, with `no-cache`
    /// (RFC 9111 §5.2.2.4), or once it is stale, with `must-revalidate` (§5.2.2.2). That is at once where the server
    /// doesn't say when.
    func mustBeValidated(_ now: Date) -> Bool {
        let control = CacheControl(field("Cache-Control"))
        if control.hasNoCache { return true }
        guard control.hasMustRevalidate else { return false }
        let age = now.timeIntervalSince(timestamp)
        let initialAge = TimeInterval(field("Age").flatMap { HTTPSyntax.seconds($0) } ?? 0)
        return age < 0 || age + initialAge >= freshnessLifetime(control)
    }

    /// §4.2.1; nothing is guessed.
    private func freshnessLifetime(_ control: CacheControl) -> TimeInterval {
        if let maxAge = control.maxAge { return TimeInterval(maxAge) }
        guard let end = field("Expires").flatMap({ HTTPDate.date($0) }) else { return 0 }
        return end.timeIntervalSince(field("Date").flatMap { HTTPDate.date($0) } ?? timestamp)
    }

    /// What the response is once a 304 has confirmed it: it has that one's fields, but for those that belong to the
    /// connection or to the body (§4.3.4, §3.2).
    ///
    /// - Returns: nil where the 304 is about another response, by its validators.
    func confirmed(by answer: HTTPURLResponse, at timestamp: Date) -> CachedResponse? {
        guard validators?.match(answer) ?? true else { return nil }
        var headers = Headers(response)
        // An age counts from the answer on.
        headers["Age"] = nil
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
        return confirmed
    }

    /// By what the server can tell whether it is still right; nil where it has none, or redirects led to it.
    var validators: Validators? { isRedirected ? nil : Validators(of: response) }

    /// Whether a cache that has the response need only note another's timestamp; a `Date` by itself is not worth writing
    /// it anew.
    func hasFields(of other: HTTPURLResponse) -> Bool {
        var (own, others) = (Headers(response), Headers(other))
        own["Date"] = nil
        others["Date"] = nil
        return own == others
    }

    private func field(_ name: String) -> String? { response.value(forHTTPHeaderField: name) }

    private static let keptFields: Set<Headers.Name> = [
        "Connection", "Content-Encoding", "Content-Length", "Content-Range", "Content-Type", "Keep-Alive",
        "Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Connection", "TE", "Trailer",
        "Transfer-Encoding", "Upgrade", "Vary",
    ]
}
