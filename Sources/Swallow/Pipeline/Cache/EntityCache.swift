import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Where a pipeline stage keeps responses.
///
/// Use ``MemoryCache`` for what the app asks for again while it runs, with the content already made, and
/// ``DiskCache`` for what is to be there at the next launch. To keep responses elsewhere, such as in a
/// database, write a cache: a map from text to ``CachedResponse`` values is enough.
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
/// The library asks for the key first, on any thread. ``read(_:)``, ``write(_:for:)``,
/// ``updateTimestamp(_:for:)``, ``remove(_:)``, ``removeVariants(of:)`` and ``removeAll(where:)`` run one after another on
/// ``workQueue``. None of them may wait for the network or for the main thread, and none can fail: a response that can't
/// be read is absent, and one that can't be written isn't kept. What is read back is checked against the request, so a cache
/// needn't know of `Vary`; it must only keep the responses whole. A cache may forget any response at any
/// time, and decides itself whether it keeps one that ``CachedResponse/forbidsStoring``.
public protocol EntityCache: Sendable {
    /// The key of a request's response; nil keeps the request away from this cache.
    ///
    /// The same request must have the same key in each run of the app. Requests whose responses may differ
    /// must have different keys, unless the response's `Vary` field names the difference. The default is
    /// ``standardKey(for:)``. Called on any thread.
    func key(for request: URLRequest) -> String?

    /// The response last written for a key, if it is still there. Called on ``workQueue``.
    func read(_ key: String) -> CachedResponse?

    /// Keeps a response, and replaces the one with the same key. Called on ``workQueue``.
    ///
    /// If the new response can't be kept, remove the old one: it is out of date.
    func write(_ response: CachedResponse, for key: String)

    /// Notes that the server has confirmed a response. Does nothing where there is none. Called on
    /// ``workQueue``.
    func updateTimestamp(_ timestamp: Date, for key: String)

    /// Forgets a response. Called on ``workQueue``.
    func remove(_ key: String)

    /// Forgets the responses whose keys are this one, or begin with it and a line break: with the
    /// ``standardKey(for:)`` of a request without header fields, all that are kept for its URL (RFC 9111 §4.4). Called on
    /// ``workQueue``, after a PUT, say.
    ///
    /// The default forgets the response with this key only, so that others may be served for as long as they are fresh.
    func removeVariants(of key: String)

    /// Forgets the responses to requests whose URL a closure says yes to. Called on ``workQueue``.
    ///
    /// The default forgets none: it doesn't know what the cache has.
    func removeAll(where isMeant: @Sendable (URL) -> Bool)

    /// The serial queue that the functions run on. The default is one that all such caches share.
    var workQueue: DispatchQueue { get }

    /// Whether the functions are thread-safe, and so quick that the library may call them where it is
    /// instead of on ``workQueue``, the main thread included. The default is false.
    var isImmediate: Bool { get }
}

extension EntityCache {
    /// The ``standardKey(for:)``.
    public func key(for request: URLRequest) -> String? { standardKey(for: request) }

    /// Forgets the response with this key.
    public func removeVariants(of key: String) { remove(key) }

    /// Does nothing.
    public func removeAll(where isMeant: @Sendable (URL) -> Bool) {}

    /// A serial queue that all caches without one of their own share.
    public var workQueue: DispatchQueue { .entityCaches }

    /// False: the functions run on ``workQueue``.
    public var isImmediate: Bool { false }
}

extension DispatchQueue {
    fileprivate static let entityCaches = DispatchQueue(label: "Swallow.EntityCache", qos: .userInitiated)
}
