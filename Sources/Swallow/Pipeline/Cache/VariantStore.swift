import Foundation

/// Finds and stores responses in a cache, on its ``EntityCache/workQueue`` unless it is ``EntityCache/isImmediate``. A
/// URL may have several responses, as `Vary` describes (RFC 9111 §4.1). The first response is stored at the request's
/// key. If a request doesn't match a key's response, the next key is made from this key and from the request's values
/// for the fields in the response's `Vary`. If redirects led to a response, its key begins with the key of its URL, so
/// that a PUT to that URL removes it. The request's key has an entry whose ``CachedResponse/reference`` is that key.
struct VariantStore: Sendable {
    private static let depth = 4

    let cache: any EntityCache
    let identity: CacheEpochs.Identity

    init(_ cache: any EntityCache) {
        self.cache = cache
        identity = cache.identity
    }

    func read(for request: URLRequest) -> CachedResponse? {
        place(for: request)?.response
    }

    /// - Parameter epoch: The request's epoch. Nothing is stored if a later one has begun for the cache or the URL.
    func write(_ response: CachedResponse, for request: URLRequest, since epoch: Int = .max) {
        guard response.isSelectable else { return remove(for: request) }
        guard let root = cache.key(for: request) else { return }
        guard response.isRedirected else { return write(response, from: root, for: request, since: epoch) }
        guard let reference = reference(to: response, root: root) else { return cache.remove(root) }
        write(response, from: reference, for: request, since: epoch)
        put(response.referring(to: reference), at: root, for: request, since: epoch)
    }

    private func write(
        _ response: CachedResponse, from root: String, for request: URLRequest, since epoch: Int
    ) {
        let key = place(of: response, from: root, for: request)
        if !response.selection.isEmpty {
            // If this key had a response for other values, an older response to this request may be at the next key.
            cache.remove(variant(of: key, response, for: request))
        }
        put(response, at: key, for: request, since: epoch)
    }

    /// Stores a failure unless a response with a status in `successes` is stored. With `nil`, replaces any success.
    func writeFailure(
        _ failure: CachedResponse, for request: URLRequest, unlessReplacing successes: StatusCodes?,
        since epoch: Int
    ) {
        if successes == nil { remove(for: request) }
        guard failure.isSelectable, let root = cache.key(for: request) else { return }
        let key = place(of: failure, from: root, for: request)
        // After redirects, the success is stored at another key, and this key refers to it.
        if let reference = cache.read(key)?.reference, cache.read(reference) != nil { return }
        put(failure, at: key, for: request, since: epoch) { stored in
            stored.reference == nil && successes?.contains(stored.head.statusCode) == true
        }
    }

    private func place(of response: CachedResponse, from root: String, for request: URLRequest) -> String {
        if response.selection.isEmpty { return root }
        var key = root
        for _ in 1..<Self.depth {
            guard let stored = cache.read(key), stored.reference == nil, !stored.isSelected(by: request)
            else {
                break
            }
            key = variant(of: key, stored, for: request)
        }
        return key
    }

    private func put(
        _ response: CachedResponse, at key: String, for request: URLRequest, since epoch: Int,
        unless mustStay: ((CachedResponse) -> Bool)? = nil
    ) {
        // A memory cache calls both closures while it is locked, so nothing empties it between the check and the write.
        if let cache = cache as? MemoryCache {
            return cache.write(response, for: key, if: { isCurrent(epoch, for: request) }, unless: mustStay)
        }
        guard isCurrent(epoch, for: request) else { return }
        if let mustStay, let stored = cache.read(key), mustStay(stored) { return }
        cache.write(response, for: key)
        // The cache may have been emptied during the write, for example through another cache on the same folder.
        if !isCurrent(epoch, for: request) { cache.remove(key) }
    }

    func isCurrent(_ epoch: Int, for request: URLRequest) -> Bool {
        CacheEpochs.isCurrent(identity, request.url, by: epoch)
    }

    /// Updates the stored response after a 304, unless its validators changed during the request (RFC 9111 §4.3.4).
    func confirm(
        _ response: HTTPURLResponse, as confirmed: CachedResponse, for request: URLRequest,
        since epoch: Int = .max
    ) {
        guard let place = place(for: request) else { return }
        var stored = place.response
        let isSame = ["ETag", "Last-Modified"].allSatisfy { name in
            stored.response.value(forHTTPHeaderField: name) == response.value(forHTTPHeaderField: name)
        }
        guard isSame else { return }
        if stored.differsOnlyInTime(from: confirmed) {
            return cache.updateTimestamp(confirmed.timestamp, for: place.key)
        }
        // The timestamp is set first, because setting `response` may count the lifetime from it.
        stored.timestamp = confirmed.timestamp
        stored.response = confirmed.response
        stored.initialAge = confirmed.initialAge
        put(stored, at: place.key, for: request, since: epoch)
    }

    func compare(
        _ head: HTTPURLResponse, at timestamp: Date, after delay: TimeInterval, for request: URLRequest,
        since epoch: Int
    ) {
        guard let place = place(for: request), !place.response.isRedirected,
            let url = place.response.response.url, head.url.map(url.isSameResource) == true
        else { return }
        var stored = place.response
        if stored.isSame(as: head), let confirmed = stored.confirmed(by: head, at: timestamp, after: delay) {
            stored = confirmed
        } else {
            stored.initialAge = nil
        }
        put(stored, at: place.key, for: request, since: epoch)
    }

    func remove(for request: URLRequest) {
        guard let place = place(for: request) else { return }
        cache.remove(place.key)
    }

    func removeVariants(for request: URLRequest) {
        remove(for: request)
        guard let url = request.url, let key = cache.key(for: URLRequest(url: url)) else { return }
        cache.removeVariants(of: key)
    }

    private func place(for request: URLRequest) -> (key: String, response: CachedResponse)? {
        guard var key = cache.key(for: request) else { return nil }
        var stored = cache.read(key)
        if let reference = stored?.reference { (key, stored) = (reference, cache.read(reference)) }
        for _ in 0..<Self.depth {
            guard let response = stored else { return nil }
            if response.isSelected(by: request) { return (key, response) }
            key = variant(of: key, response, for: request)
            stored = cache.read(key)
        }
        return nil
    }

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

extension VariantStore {
    /// Registers a refresh of the response to a request. `nil` if one is already running, or if the request has no key.
    func refresh(for request: URLRequest) -> CacheRefresh? {
        cache.key(for: request).flatMap { CacheRefresh(of: $0, in: identity) }
    }
}

/// A running request that validates a stale response in the background (RFC 5861 §3).
struct CacheRefresh: Sendable, Hashable {
    private let cache: CacheEpochs.Identity
    private let key: String

    private static let current = Lock<Set<CacheRefresh>>([])

    fileprivate init?(of key: String, in cache: CacheEpochs.Identity) {
        (self.key, self.cache) = (key, cache)
        let refresh = self
        guard Self.current.withLock({ $0.insert(refresh).inserted }) else { return nil }
    }

    func end() {
        _ = Self.current.withLock { $0.remove(self) }
    }
}
