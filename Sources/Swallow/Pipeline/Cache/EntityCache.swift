import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A cache in which a pipeline stage stores responses.
///
/// Use ``MemoryCache`` for responses that the app reads again while it runs. It also stores their content. Use
/// ``DiskCache`` for responses that must survive until the next launch. To store responses elsewhere, for example in a
/// database, write your own cache. It needs only a map from text to ``CachedResponse`` values.
///
/// ```swift
/// final class TableCache: EntityCache {
///     let table: Table
///     let workQueue = DispatchQueue(label: "TableCache")
///
///     init(table: Table) { self.table = table }
///
///     func read(_ key: String) -> CachedResponse? {
///         table[key].flatMap { try? JSONDecoder().decode(CachedResponse.self, from: $0) }
///     }
///
///     func write(_ response: CachedResponse, for key: String) {
///         table[key] = try? JSONEncoder().encode(response)
///     }
///
///     func updateTimestamp(_ timestamp: Date, for key: String) {
///         guard var response = read(key) else { return }
///         response.timestamp = timestamp
///         write(response, for: key)
///     }
///
///     func remove(_ key: String) { table[key] = nil }
///     func removeVariants(of key: String) { table.removeAll { $0 == key || $0.hasPrefix(key + "\n") } }
/// }
/// ```
///
/// The pipeline first calls ``key(for:)`` on any thread. The functions ``read(_:)``, ``write(_:for:)``,
/// ``updateTimestamp(_:for:)``, ``remove(_:)``, ``removeVariants(of:)`` and ``removeAll(where:)`` run one after another
/// on ``workQueue``. They must not wait for the network or for the main thread. They report no errors: a response that
/// can't be read is absent, and a response that can't be written isn't stored.
///
/// The pipeline checks each response that it reads against the request, so a cache needn't handle `Vary`. It must only
/// store complete responses. A cache may remove any response at any time, and decides whether to store a response whose
/// ``CachedResponse/forbidsStoring`` is true.
public protocol EntityCache: Sendable {
    /// Returns the key of a request's response. If it is `nil`, the request doesn't use this cache.
    ///
    /// A request must have the same key in each run of the app. Requests whose responses may differ must have different
    /// keys, unless the response's `Vary` field names the difference. The default is ``standardKey(for:)``. Called on
    /// any thread.
    func key(for request: URLRequest) -> String?

    /// Returns the response last written for a key, or `nil` if it is no longer stored. Called on ``workQueue``.
    func read(_ key: String) -> CachedResponse?

    /// Stores a response and replaces the response with the same key. Called on ``workQueue``.
    ///
    /// If the new response can't be stored, remove the old one, because it is outdated.
    func write(_ response: CachedResponse, for key: String)

    /// Updates the timestamp of a response that the server has confirmed. Does nothing if there is no response. Called
    /// on ``workQueue``.
    func updateTimestamp(_ timestamp: Date, for key: String)

    /// Removes a response. Called on ``workQueue``.
    func remove(_ key: String)

    /// Removes the responses whose keys are this key, or begin with it and a line break. With the ``standardKey(for:)``
    /// of a request without header fields, these are all the responses for its URL (RFC 9111 §4.4). Called on
    /// ``workQueue``, for example after a PUT.
    ///
    /// The default removes only the response with this key, so the others may be served as long as they are fresh.
    func removeVariants(of key: String)

    /// Removes the responses to requests if a closure returns true for their URL. Called on ``workQueue``.
    ///
    /// The default removes nothing, because it doesn't know which responses the cache has.
    func removeAll(where isMeant: @Sendable (URL) -> Bool)

    /// The serial queue that the functions run on. The default is a queue that all caches with the default share.
    var workQueue: DispatchQueue { get }

    /// Whether the functions are thread-safe, and fast enough to be called on the current thread, including the main
    /// thread, instead of on ``workQueue``. The default is false.
    var isImmediate: Bool { get }
}

extension EntityCache {
    /// Returns the ``standardKey(for:)``.
    public func key(for request: URLRequest) -> String? { standardKey(for: request) }

    /// Removes the response with this key.
    public func removeVariants(of key: String) { remove(key) }

    /// Does nothing.
    public func removeAll(where isMeant: @Sendable (URL) -> Bool) {}

    /// A serial queue that all caches without their own queue share.
    public var workQueue: DispatchQueue { .entityCaches }

    /// Whether the functions may be called outside ``workQueue``. The default is false.
    public var isImmediate: Bool { false }
}

extension DispatchQueue {
    fileprivate static let entityCaches = DispatchQueue(label: "Swallow.EntityCache", qos: .userInitiated)
}
