import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A background request that asks whether a stale response that was just used is still right (RFC 5861 §3). Each
/// response has at most one at a time.
struct CacheRefresh: Sendable, Hashable {
    private let cache: CacheWipes.Identity
    private let key: String

    private static let current = Lock<Set<CacheRefresh>>([])

    /// Nil where there is one already.
    fileprivate init?(of key: String, in cache: CacheWipes.Identity) {
        (self.key, self.cache) = (key, cache)
        let refresh = self
        guard Self.current.withLock({ $0.insert(refresh).inserted }) else { return nil }
    }

    func end() {
        _ = Self.current.withLock { $0.remove(self) }
    }
}

extension VariantStore {
    /// Begins to refresh what the cache has for a request; nil where that is under way.
    func refresh(for request: URLRequest) -> CacheRefresh? {
        cache.key(for: request).flatMap { CacheRefresh(of: $0, in: identity) }
    }
}
