import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Keeps responses, with the content made of them, for as long as the process runs.
///
/// It is bounded by the number of responses and by their size; the least recently used go first. On Apple platforms all go
/// when the system runs out of memory. All functions may be called from any thread, and take well under a microsecond.
public final class MemoryCache: EntityCache {
    /// What a response costs beside its bytes: a typical head, and the cache's own record of it.
    static let overhead = 1024

    private let responses: Lock<RecencyMap<CachedResponse>>
    private let keepsForbidden: Bool
    private let keyFields = KeyFields.Memo()

    /// Makes an empty cache. A limit of zero or less keeps nothing.
    ///
    /// - Parameters:
    ///   - countLimit: how many responses to keep; 512 by default.
    ///   - costLimit: how much to keep, in bytes: each response counts with its body and one KiB, and is
    ///     taken to have content of about that size. 32 MiB by default. A response beyond the limit isn't
    ///     kept.
    ///   - keepsForbidden: whether also to keep what a response or request with `Cache-Control: no-store`
    ///     forbids to keep (RFC 9111 §5.2); false by default.
    public convenience init(
        countLimit: Int = 512, costLimit: Int = 32 << 20, keepsForbidden: Bool = false
    ) {
        self.init(countLimit: countLimit, costLimit: costLimit, keepsForbidden: keepsForbidden, .shared)
    }

    init(countLimit: Int, costLimit: Int, keepsForbidden: Bool, _ pressure: MemoryPressure) {
        responses = Lock(RecencyMap(countLimit: countLimit, costLimit: costLimit))
        self.keepsForbidden = keepsForbidden
        pressure.add(self) { cache in _ = cache.responses.withLock { $0.removeAll() } }
    }

    /// The ``EntityCache/standardKey(for:)``; nil for a request with `Cache-Control: no-store`.
    public func key(for request: URLRequest) -> String? {
        guard let key = StandardKey(request), keepsForbidden || !key.forbidsStoring else { return nil }
        return key.text(keyFields.line)
    }

    /// The response last written for a key, which becomes the most recently used.
    public func read(_ key: String) -> CachedResponse? {
        responses.withLock { $0.value(for: key) }
    }

    /// Keeps a response in place of the one that had its key; one that can't be kept leaves none.
    public func write(_ response: CachedResponse, for key: String) {
        write(response, for: key) { true }
    }

    /// Stores a response if it is still wanted. Both closures run under the lock.
    ///
    /// - Parameter mustStay: Whether the response that is stored at the key must not be replaced.
    func write(
        _ response: CachedResponse, for key: String, if isWanted: () -> Bool,
        unless mustStay: ((CachedResponse) -> Bool)? = nil
    ) {
        let (cost, isTooLarge) = response.data.count.addingReportingOverflow(Self.overhead)
        let isForbidden = isTooLarge || !keepsForbidden && response.forbidsStoring
        // What goes is released here, outside the lock.
        _ = responses.withLock { responses -> [CachedResponse] in
            guard isWanted() else { return [] }
            if let mustStay, let stored = responses.value(for: key), mustStay(stored) { return [] }
            if isForbidden { return responses.remove(key).map { [$0] } ?? [] }
            return responses.set(response, cost: cost, for: key)
        }
    }

    /// Changes a response's timestamp.
    public func updateTimestamp(_ timestamp: Date, for key: String) {
        responses.withLock { $0.update(key) { $0.timestamp = timestamp } }
    }

    /// Forgets a response.
    public func remove(_ key: String) {
        _ = responses.withLock { $0.remove(key) }
    }

    /// Forgets the responses with this key, or with it in their first line; looks at each that there is.
    public func removeVariants(of key: String) {
        let start = key + "\n"
        _ = responses.withLock { $0.removeAll { $0 == key || $0.hasPrefix(start) } }
    }

    /// Forgets all responses. One on its way isn't kept any more.
    public func removeAll() {
        CacheWipes.note([identity])
        _ = responses.withLock { $0.removeAll() }
    }

    /// Forgets the responses to requests whose URL a closure says yes to.
    public func removeAll(where isMeant: @Sendable (URL) -> Bool) {
        // The closure is the app's, and may use the cache: it runs outside the lock.
        let meant = responses.withLock { $0.compactMap(\.requestURL) }.filter { isMeant($0.property) }
        _ = responses.withLock { responses in meant.map { responses.remove($0.key) } }
    }

    /// True: the functions may be called from any thread, at once.
    public var isImmediate: Bool { true }
}
