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
/// A response that redirects led to belongs to the URL that it came from: its key begins with that URL's, so that it is
/// forgotten with the others there. Under the request's own key lies a ``CachedResponse/reference`` to it.
///
/// Call everything on the cache's ``EntityCache/workQueue``, or anywhere for one that is
/// ``EntityCache/isImmediate``.
struct VariantStore: Sendable {
    /// A response is kept under at most so many keys deep: more are needed only where a server keeps changing
    /// what its responses vary by.
    private static let depth = 4

    let cache: any EntityCache
    /// Identifies the cache in ``CacheWipes``.
    let identity: CacheWipes.Identity

    init(_ cache: any EntityCache) {
        self.cache = cache
        identity = cache.identity
    }

    /// The response that answers a request.
    func read(for request: URLRequest) -> CachedResponse? {
        place(for: request)?.response
    }

    /// Keeps a response for the requests that select it. One that no request can select only removes the kept one.
    ///
    /// - Parameter isWanted: whether the response should still be kept. Asked under the lock of a ``MemoryCache``; for
    ///   any other cache, before the write and after it.
    func write(
        _ response: CachedResponse, for request: URLRequest, if isWanted: () -> Bool = { true }
    ) {
        guard response.isSelectable else { return remove(for: request) }
        guard let root = cache.key(for: request) else { return }
        guard response.isRedirected else { return write(response, from: root, for: request, if: isWanted) }
        guard let reference = reference(to: response, root: root) else { return cache.remove(root) }
        write(response, from: reference, for: request, if: isWanted)
        put(response.referring(to: reference), at: root, if: isWanted)
    }

    /// Keeps a response under a key, or under a key made from it if that has a response to other requests.
    private func write(
        _ response: CachedResponse, from root: String, for request: URLRequest, if isWanted: () -> Bool
    ) {
        let key = place(of: response, from: root, for: request)
        if !response.selection.isEmpty {
            // An older variant may be left from when another response had this key.
            cache.remove(variant(of: key, response, for: request))
        }
        put(response, at: key, if: isWanted)
    }

    /// Stores a failure, unless a success is stored at its key.
    ///
    /// - Parameter successes: The status codes of successes.
    func writeFailure(
        _ failure: CachedResponse, for request: URLRequest, unlessReplacing successes: StatusCodes,
        if isWanted: () -> Bool
    ) {
        guard failure.isSelectable, let root = cache.key(for: request) else { return }
        let key = place(of: failure, from: root, for: request)
        // A success that arrived through a redirect is stored elsewhere, and this key refers to it.
        if let reference = cache.read(key)?.reference, cache.read(reference) != nil { return }
        put(failure, at: key, if: isWanted) { stored in
            stored.reference == nil && successes.contains(stored.head.statusCode)
        }
    }

    /// The key for a response: the root key, or a key made from it if that has a response to other requests.
    private func place(of response: CachedResponse, from root: String, for request: URLRequest) -> String {
        if response.selection.isEmpty { return root }
        var key = root
        for _ in 1..<Self.depth {
            guard let kept = cache.read(key), kept.reference == nil, !kept.isSelected(by: request) else {
                break
            }
            key = variant(of: key, kept, for: request)
        }
        return key
    }

    /// - Parameter mustStay: Whether the response that is stored at the key must not be replaced.
    private func put(
        _ response: CachedResponse, at key: String, if isWanted: () -> Bool,
        unless mustStay: ((CachedResponse) -> Bool)? = nil
    ) {
        if let cache = cache as? MemoryCache {
            return cache.write(response, for: key, if: isWanted, unless: mustStay)
        }
        guard isWanted() else { return }
        if let mustStay, let stored = cache.read(key), mustStay(stored) { return }
        cache.write(response, for: key)
        // It may have been wiped meanwhile, through another cache over the same folder, say.
        if !isWanted() { cache.remove(key) }
    }

    /// Updates the kept response after the server has confirmed it (RFC 9111 §4.3.4), unless another is kept by now.
    func confirm(
        _ response: HTTPURLResponse, as confirmed: CachedResponse, for request: URLRequest,
        if isWanted: () -> Bool = { true }
    ) {
        guard let place = place(for: request) else { return }
        var kept = place.response
        let isSame = ["ETag", "Last-Modified"].allSatisfy { name in
            kept.response.value(forHTTPHeaderField: name) == response.value(forHTTPHeaderField: name)
        }
        guard isSame else { return }
        if kept.differsOnlyInTime(from: confirmed) {
            return cache.updateTimestamp(confirmed.timestamp, for: place.key)
        }
        // Set first: a lifetime may count from it.
        kept.timestamp = confirmed.timestamp
        kept.response = confirmed.response
        kept.initialAge = confirmed.initialAge
        put(kept, at: place.key, if: isWanted)
    }

    /// Updates the kept response with the fields of a response to HEAD, or makes it stale if the server has another by
    /// now (RFC 9111 §4.3.5).
    func compare(
        _ head: HTTPURLResponse, at timestamp: Date, after delay: TimeInterval, for request: URLRequest,
        if isWanted: () -> Bool
    ) {
        guard let place = place(for: request), !place.response.isRedirected,
            let url = place.response.response.url, head.url.map(url.isSameResource) == true
        else { return }
        var kept = place.response
        if kept.isSame(as: head), let confirmed = kept.confirmed(by: head, at: timestamp, after: delay) {
            kept = confirmed
        } else {
            kept.initialAge = nil
        }
        put(kept, at: place.key, if: isWanted)
    }

    /// Forgets the response that answers a request.
    func remove(for request: URLRequest) {
        guard let place = place(for: request) else { return }
        cache.remove(place.key)
    }

    /// Forgets all responses for a request's URL: in every form, and of every user (RFC 9111 §4.4).
    func removeVariants(for request: URLRequest) {
        remove(for: request)
        guard let url = request.url, let key = cache.key(for: URLRequest(url: url)) else { return }
        cache.removeVariants(of: key)
    }

    private func place(for request: URLRequest) -> (key: String, response: CachedResponse)? {
        guard var key = cache.key(for: request) else { return nil }
        var kept = cache.read(key)
        let reference = kept?.reference
        if let reference { (key, kept) = (reference, cache.read(reference)) }
        for _ in 1..<Self.depth {
            guard let response = kept, !response.isSelected(by: request) else { break }
            key = variant(of: key, response, for: request)
            kept = cache.read(key)
        }
        guard var response = kept, response.isSelected(by: request) else { return nil }
        if reference != nil { response.isRedirected = true }
        return (key, response)
    }

    /// The key of a response that redirects led to from a request with a key.
    private func reference(to response: CachedResponse, root: String) -> String? {
        guard let url = response.response.url, let key = cache.key(for: URLRequest(url: url)) else {
            return nil
        }
        return "\(key)\n\(SHA256.hexDigest(of: root))"
    }

    private func variant(of key: String, _ response: CachedResponse, for request: URLRequest) -> String {
        let values = response.selection(by: request).sorted { $0.key < $1.key }
        return "\(key)\n\(SHA256.hexDigest(of: values.flatMap { [$0.key, $0.value] }))"
    }
}
