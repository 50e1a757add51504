import Foundation

/// A background request that validates a stale response that was just served (RFC 5861 §3). Each response has at most
/// one at a time.
struct CacheRefresh: Sendable, Hashable {
    private let cache: CacheEpochs.Identity
    private let key: String

    private static let current = Lock<Set<CacheRefresh>>([])

    /// Returns `nil` if the response already has a refresh.
    fileprivate init?(of key: String, in cache: CacheEpochs.Identity) {
        (self.key, self.cache) = (key, cache)
        let refresh = self
        guard Self.current.withLock({ $0.insert(refresh).inserted }) else { return nil }
    }

    func end() {
        _ = Self.current.withLock { $0.remove(self) }
    }
}

extension VariantStore {
    /// Starts to refresh the stored response to a request. Returns `nil` if its refresh is already running, or if the
    /// cache has no key for the request.
    func refresh(for request: URLRequest) -> CacheRefresh? {
        cache.key(for: request).flatMap { CacheRefresh(of: $0, in: identity) }
    }
}
