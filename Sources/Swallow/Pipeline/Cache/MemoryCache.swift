import Foundation

/// A cache that stores responses, with the pipeline's content, while the process runs.
///
/// The least recently used responses are removed first. On Apple platforms, the cache is emptied when the system is
/// short of memory. The functions are thread-safe.
public final class MemoryCache: EntityCache {
    static let overhead = 1024

    private let responses: Lock<RecencyMap<CachedResponse>>
    private let storesForbidden: Bool
    private let latestDigest = StandardKey.LatestDigest()

    /// Creates an empty cache. With a limit of zero or less, it stores nothing.
    ///
    /// - Parameters:
    ///   - countLimit: The maximum number of responses, by default 512.
    ///   - costLimit: The maximum size in bytes, by default 32 MiB. A response counts as its body plus 1 KiB.
    ///   - storesForbidden: Whether to ignore `no-store` in requests and responses (RFC 9111 §5.2), by default false.
    public convenience init(
        countLimit: Int = 512, costLimit: Int = 32 << 20, storesForbidden: Bool = false
    ) {
        self.init(countLimit: countLimit, costLimit: costLimit, storesForbidden: storesForbidden, .shared)
    }

    init(countLimit: Int, costLimit: Int, storesForbidden: Bool, _ pressure: MemoryPressure) {
        responses = Lock(RecencyMap(countLimit: countLimit, costLimit: costLimit))
        self.storesForbidden = storesForbidden
        pressure.add(self)
    }

    /// Returns ``EntityCache/standardKey(for:)``. `nil` for a request with `no-store`, if `storesForbidden` is false.
    public func key(for request: URLRequest) -> String? {
        guard let key = StandardKey(request), storesForbidden || !key.forbidsStoring else { return nil }
        return key.text(reusing: latestDigest)
    }

    /// Returns the response for a key, and marks it as the most recently used.
    public func read(_ key: String) -> CachedResponse? {
        responses.withLock { $0.value(for: key) }
    }

    /// Stores a response. If it is too large or must not be stored, removes the earlier response with this key.
    public func write(_ response: CachedResponse, for key: String) {
        write(response, for: key) { true }
    }

    /// Stores a response if `isWanted` is true, unless `mustStay` is true for the stored one. Both run under the lock.
    func write(
        _ response: CachedResponse, for key: String, if isWanted: () -> Bool,
        unless mustStay: ((CachedResponse) -> Bool)? = nil
    ) {
        let (cost, isTooLarge) = response.data.count.addingReportingOverflow(Self.overhead)
        let isForbidden = isTooLarge || !storesForbidden && response.forbidsStoring
        // The assignment releases the removed responses after the lock is released.
        _ = responses.withLock { responses -> [CachedResponse] in
            guard isWanted() else { return [] }
            if let mustStay, let stored = responses.value(for: key), mustStay(stored) { return [] }
            if isForbidden { return responses.remove(key).map { [$0] } ?? [] }
            return responses.set(response, cost: cost, for: key)
        }
    }

    /// Sets the timestamp of the response with this key, if there is one.
    public func updateTimestamp(_ timestamp: Date, for key: String) {
        responses.withLock { $0.update(key) { $0.timestamp = timestamp } }
    }

    /// Removes the response with this key, if there is one.
    public func remove(_ key: String) {
        _ = responses.withLock { $0.remove(key) }
    }

    /// Removes the responses whose key is this key, or begins with it and a line break.
    public func removeVariants(of key: String) {
        let start = key + "\n"
        _ = responses.withLock { $0.removeAll { $0 == key || $0.hasPrefix(start) } }
    }

    /// Removes all responses. The cache doesn't store the responses to requests that are already running.
    public func removeAll() {
        CacheEpochs.begin([identity])
        removeResponses()
    }

    func removeResponses() {
        _ = responses.withLock { $0.removeAll() }
    }

    /// Removes each response if a closure returns true for the URL of its request.
    public func removeAll(where isIncluded: @Sendable (URL) -> Bool) {
        // The closure runs while the cache is unlocked, because it may use the cache.
        let included = responses.withLock { $0.compactMap(\.requestURL) }.filter { isIncluded($0.property) }
        _ = responses.withLock { responses in included.map { responses.remove($0.key) } }
    }

    /// Whether the functions may be called on any thread. Always true.
    public var isImmediate: Bool { true }
}
