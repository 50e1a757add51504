import Dispatch
import Foundation

/// A cache in which a pipeline stage stores responses.
///
/// ``MemoryCache`` also stores the responses' content. ``DiskCache`` stores responses until the next launch. To store
/// responses elsewhere, for example in a database, write your own cache:
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
/// The pipeline calls ``key(for:)`` on any thread, and the other functions one after another on ``workQueue``. They must
/// not wait for the network or for the main thread. They report no errors. A response that can't be read is absent, and a
/// response that can't be written isn't stored.
///
/// A cache needn't handle `Vary`. It may remove any response at any time, and decides whether to store a response whose
/// ``CachedResponse/forbidsStoring`` is true.
public protocol EntityCache: Sendable {
    /// Returns the key of a request's response. If it is `nil`, the request doesn't use this cache.
    ///
    /// Requests whose responses may differ must have different keys, unless the response's `Vary` field names the
    /// difference. The default is ``standardKey(for:)``.
    func key(for request: URLRequest) -> String?

    /// Returns the response last written for a key, or `nil` if it is no longer stored.
    func read(_ key: String) -> CachedResponse?

    /// Stores a response. If it can't be stored, remove the response with the same key, because it is outdated.
    func write(_ response: CachedResponse, for key: String)

    /// Updates the timestamp of a response that the server has confirmed. Does nothing if there is no response.
    func updateTimestamp(_ timestamp: Date, for key: String)

    /// Removes a response.
    func remove(_ key: String)

    /// Removes the responses whose keys are this key, or begin with it and a line break. These are all the responses for
    /// a URL that was written, for example by a PUT (RFC 9111 §4.4). The default removes only the response with this key.
    func removeVariants(of key: String)

    /// Removes the responses to requests if a closure returns true for their URL. The default removes nothing, because it
    /// doesn't know which responses the cache has.
    func removeAll(where isIncluded: @Sendable (URL) -> Bool)

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
    public func removeAll(where isIncluded: @Sendable (URL) -> Bool) {}

    /// A serial queue that all caches without their own queue share.
    public var workQueue: DispatchQueue { .entityCaches }

    /// Whether the functions may be called outside ``workQueue``. The default is false.
    public var isImmediate: Bool { false }
}

extension DispatchQueue {
    fileprivate static let entityCaches = DispatchQueue(label: "Swallow.EntityCache", qos: .userInitiated)
}
