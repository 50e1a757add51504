import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A cache as the pipeline uses it: by request, with the variants of a response kept side by side.
///
/// The response written first has the request's key. A request with other values in the fields that this
/// one's `Vary` names has a second key, made of the first and of its own values; where the response there is
/// another's too, a third, and so on. Whatever the keys say, only a response that the request selects is
/// given back (RFC 9111 §4.1).
///
/// Call everything on the cache's ``EntityCache/workQueue``, or anywhere for one that is
/// ``EntityCache/isImmediate``.
struct VariantStore: Sendable {
    /// A response is kept under at most so many keys deep: more are needed only where a server keeps changing
    /// what its responses vary by.
    private static let depth = 4

    let cache: any EntityCache

    init(_ cache: any EntityCache) {
        self.cache = cache
    }

    /// The response that answers a request.
    func read(for request: URLRequest) -> CachedResponse? {
        place(for: request)?.response
    }

    /// Keeps a response for the requests that select it; one that none can select replaces what there was.
    func write(_ response: CachedResponse, for request: URLRequest) {
        guard response.isSelectable else { return remove(for: request) }
        guard var key = cache.key(for: request) else { return }
        if !response.selection.isEmpty {
            for _ in 1..<Self.depth {
                guard let kept = cache.read(key), !kept.isSelected(by: request) else { break }
                key = variant(of: key, kept, for: request)
            }
            // An older one may be left from when another response had this key.
            cache.remove(variant(of: key, response, for: request))
        }
        cache.write(response, for: key)
    }

    /// Notes what became of a response when the server confirmed it, where it is the one that is kept
    /// (RFC 9111 §4.3.4).
    func confirm(_ response: HTTPURLResponse, as confirmed: CachedResponse, for request: URLRequest) {
        guard let place = place(for: request) else { return }
        var kept = place.response
        let isSame = ["ETag", "Last-Modified"].allSatisfy { name in
            kept.response.value(forHTTPHeaderField: name) == response.value(forHTTPHeaderField: name)
        }
        guard isSame else { return }
        if kept.hasFields(of: confirmed.response) {
            return cache.updateTimestamp(confirmed.timestamp, for: place.key)
        }
        kept.response = confirmed.response
        kept.timestamp = confirmed.timestamp
        cache.write(kept, for: place.key)
    }

    /// Forgets the response that answers a request.
    func remove(for request: URLRequest) {
        guard let place = place(for: request) else { return }
        cache.remove(place.key)
    }

    /// Forgets the responses for a request's URL, in whatever form and whoever asked for them (RFC 9111 §4.4).
    func removeVariants(for request: URLRequest) {
        remove(for: request)
        guard let url = request.url, let key = cache.key(for: URLRequest(url: url)) else { return }
        cache.removeVariants(of: key)
    }

    private func place(for request: URLRequest) -> (key: String, response: CachedResponse)? {
        guard var key = cache.key(for: request) else { return nil }
        for _ in 0..<Self.depth {
            guard let response = cache.read(key) else { return nil }
            if response.isSelected(by: request) { return (key, response) }
            key = variant(of: key, response, for: request)
        }
        return nil
    }

    private func variant(of key: String, _ response: CachedResponse, for request: URLRequest) -> String {
        let values = response.selection(by: request).sorted { $0.key < $1.key }
        return "\(key)\n\(SHA256.hexDigest(of: values.flatMap { [$0.key, $0.value] }))"
    }
}
