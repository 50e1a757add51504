import Foundation

/// Keeps a cache from storing responses to requests of an earlier epoch. A new epoch begins for a cache when the app
/// calls `removeAll()` or `wipeCaches(_:)`, and for URLs when a request such as a PUT has changed their resources.
struct CacheEpochs: Sendable {
    /// Identifies a cache. Disk caches with the same path have the same identity.
    enum Identity: Hashable, Sendable {
        case object(ObjectIdentifier)
        case folder(String)
    }

    private struct Scope: Hashable, Sendable {
        let cache: Identity
        /// A URL, or `nil` if the scope is the complete cache.
        var resource: String?
    }

    private var latest = 0
    private var epochs: [Scope: Int] = [:]
    /// The epoch of each scope that isn't in `epochs`.
    private var others = 0

    private static let current = Lock(CacheEpochs())
    private static let limit = 4096

    static var latest: Int { current.withLock { $0.latest } }

    /// - Parameter urls: The URLs whose resources have changed, or `nil` for the complete caches.
    static func begin(_ caches: [Identity], for urls: [URL]? = nil) {
        let resources: [String?] = urls.map { $0.map(\.resource) } ?? [nil]
        current.withLock { current in
            current.latest += 1
            if current.epochs.count > limit { (current.epochs, current.others) = ([:], current.latest) }
            for cache in caches {
                for resource in resources {
                    current.epochs[Scope(cache: cache, resource: resource)] = current.latest
                }
            }
        }
    }

    /// Returns whether a cache may store the response to a request that began in `epoch`.
    static func isCurrent(_ cache: Identity, _ url: URL?, by epoch: Int) -> Bool {
        if latest <= epoch { return true }
        let scopes = [Scope(cache: cache), Scope(cache: cache, resource: url?.resource)]
        return current.withLock { current in
            scopes.allSatisfy { current.epochs[$0] ?? current.others <= epoch }
        }
    }
}

extension EntityCache {
    var identity: CacheEpochs.Identity {
        if let cache = self as? DiskCache { return .folder(cache.path) }
        // A cache that isn't an object is identified by its queue. Other caches may use the same queue.
        return .object(
            type(of: self) is AnyClass ? ObjectIdentifier(self as AnyObject) : ObjectIdentifier(workQueue))
    }
}
