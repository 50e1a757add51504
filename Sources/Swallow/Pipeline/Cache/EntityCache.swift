import Dispatch
import Foundation

/// A cache in which a pipeline stage stores responses.
///
/// ``MemoryCache`` also stores the pipeline's content. ``DiskCache`` stores responses in files that later launches can
/// read. To store responses elsewhere, for example in a database, write your own cache:
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
/// Swallow calls ``key(for:)`` on any thread, and by default the other functions on ``workQueue``. None of them may
/// wait for the network or the main thread. A response that can't be read counts as missing.
///
/// A cache needn't handle `Vary`, may remove responses at any time, and may ignore ``CachedResponse/forbidsStoring``.
public protocol EntityCache: Sendable {
    /// Returns the key for the response to a request. The default is ``standardKey(for:)``. `nil` means no caching.
    ///
    /// Requests whose responses may differ need different keys, unless `Vary` names the difference.
    func key(for request: URLRequest) -> String?

    /// Returns the response last written for a key, or `nil` if none is stored.
    func read(_ key: String) -> CachedResponse?

    /// Stores a response, or removes the earlier response with this key if the cache doesn't accept the new one. If
    /// writing fails, the earlier response may stay.
    func write(_ response: CachedResponse, for key: String)

    /// Sets the timestamp of a response that the server has confirmed. Does nothing for a key without a response.
    func updateTimestamp(_ timestamp: Date, for key: String)

    /// Removes the response with this key, if there is one.
    func remove(_ key: String)

    /// Removes the responses whose key is this key, or begins with it and a line break. Called after a request such as
    /// a PUT has changed the resource (RFC 9111 §4.4). The default removes only the response with this key.
    func removeVariants(of key: String)

    /// Removes each response if a closure returns true for the URL of its request. The default does nothing.
    func removeAll(where isIncluded: @Sendable (URL) -> Bool)

    /// The serial queue on which Swallow reads and changes the cache. By default, caches share one queue.
    var workQueue: DispatchQueue { get }

    /// Whether the pipeline may call the functions on its current thread, which may be the main thread, instead of on
    /// ``workQueue``. They must then be thread-safe and fast. The default is false.
    var isImmediate: Bool { get }
}

extension EntityCache {
    /// Returns the ``standardKey(for:)``.
    public func key(for request: URLRequest) -> String? { standardKey(for: request) }

    /// Removes the response with this key.
    public func removeVariants(of key: String) { remove(key) }

    /// Does nothing.
    public func removeAll(where isIncluded: @Sendable (URL) -> Bool) {}

    /// The serial queue that all caches without their own queue share.
    public var workQueue: DispatchQueue { .entityCaches }

    /// Whether the functions may be called outside ``workQueue``. The default is false.
    public var isImmediate: Bool { false }
}

extension DispatchQueue {
    fileprivate static let entityCaches = DispatchQueue(label: "Swallow.EntityCache", qos: .userInitiated)
}
