import Foundation

/// The epochs of this process's caches. A wipe begins a new epoch of a cache, and a write begins a new epoch of one URL
/// in it. A response that was requested in an earlier epoch isn't stored, because it may be outdated.
///
/// The epochs don't belong to a service, because services are created again for each use and share caches.
struct CacheEpochs: Sendable {
    /// Identifies a cache. Caches that share their responses, for example in one folder, have the same identity.
    enum Identity: Hashable, Sendable {
        case object(ObjectIdentifier)
        case folder(String)
    }

    private struct Scope: Hashable, Sendable {
        let cache: Identity
        /// `nil` for all resources.
        var resource: String?
    }

    private var latest = 0
    private var epochs: [Scope: Int] = [:]
    /// The epoch of each scope that isn't in `epochs`.
    private var others = 0

    private static let current = Lock(CacheEpochs())
    private static let limit = 4096

    /// The number of the latest epoch of any cache.
    static var latest: Int { current.withLock { $0.latest } }

    /// - Parameter urls: The URLs that were written, or `nil` after a wipe.
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

    /// Returns whether a response for a URL that was requested in an epoch may be stored.
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
        // A cache that isn't an object is identified by its queue, which it may share with others.
        return .object(
            type(of: self) is AnyClass ? ObjectIdentifier(self as AnyObject) : ObjectIdentifier(workQueue))
    }
}
