import Foundation

/// A cache that stores responses with their content while the process runs.
///
/// The least recently used responses are removed first. On Apple platforms, all responses are removed when the system
/// runs out of memory. All functions may be called from any thread.
public final class MemoryCache: EntityCache {
    /// The memory that a response needs in addition to its bytes.
    static let overhead = 1024

    private let responses: Lock<RecencyMap<CachedResponse>>
    private let storesForbidden: Bool

    /// Creates an empty cache. With a limit of zero or less, it stores nothing.
    ///
    /// - Parameters:
    ///   - countLimit: The maximum number of responses, by default 512.
    ///   - costLimit: The maximum size in bytes, by default 32 MiB. Each response counts with its body and one KiB. A
    ///     response above the limit isn't stored.
    ///   - storesForbidden: Whether to store responses although `Cache-Control: no-store` in the response or request
    ///     forbids it (RFC 9111 §5.2). The default is false.
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

    /// Returns the ``EntityCache/standardKey(for:)``. Returns `nil` for a request with `Cache-Control: no-store`,
    /// unless the initializer allowed it.
    public func key(for request: URLRequest) -> String? {
        guard let key = StandardKey(request), storesForbidden || !key.forbidsStoring else { return nil }
        return key.text
    }

    /// Returns the response last written for a key. It becomes the most recently used one.
    public func read(_ key: String) -> CachedResponse? {
        responses.withLock { $0.value(for: key) }
    }

    /// Stores a response. If it must not be stored, the response with the same key is removed.
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
        let isForbidden = isTooLarge || !storesForbidden && response.forbidsStoring
        // Removed responses are released here, outside the lock.
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

    /// Removes a response.
    public func remove(_ key: String) {
        _ = responses.withLock { $0.remove(key) }
    }

    /// Removes the responses with this key, or with this key as their first line.
    public func removeVariants(of key: String) {
        let start = key + "\n"
        _ = responses.withLock { $0.removeAll { $0 == key || $0.hasPrefix(start) } }
    }

    /// Removes all responses. A response that is arriving now isn't stored.
    public func removeAll() {
        CacheEpochs.begin([identity])
        removeResponses()
    }

    func removeResponses() {
        // The responses are released outside the lock.
        _ = responses.withLock { $0.removeAll() }
    }

    /// Removes the responses to requests if a closure returns true for their URL.
    public func removeAll(where isIncluded: @Sendable (URL) -> Bool) {
        // The app's closure may use the cache, so it runs outside the lock.
        let included = responses.withLock { $0.compactMap(\.requestURL) }.filter { isIncluded($0.property) }
        _ = responses.withLock { responses in included.map { responses.remove($0.key) } }
    }

    /// Whether the functions may be called on any thread. It is true.
    public var isImmediate: Bool { true }
}
