import Foundation

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

extension VariantStore {
    /// Registers a refresh of the response to a request. `nil` if one is already running, or if the request has no key.
    func refresh(for request: URLRequest) -> CacheRefresh? {
        cache.key(for: request).flatMap { CacheRefresh(of: $0, in: identity) }
    }
}
