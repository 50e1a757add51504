import Foundation

/// The epochs of this process's caches. A wipe begins a new epoch of a cache, and a write begins a new epoch of its URL
/// in the cache. A response that was requested in an earlier epoch isn't stored, because it may be outdated.
///
/// The epochs don't belong to a service, because services are created again for each use and share caches.
struct CacheEpochs: Sendable {
    /// Identifies a cache. Caches that share their responses, for example in one folder, have the same identity.
    enum Identity: Hashable, Sendable {
        case object(ObjectIdentifier)
        case folder(String)
    }

    private struct Epoch: Sendable {
        /// The number of the epoch that the cache's latest wipe began.
        var wiped: Int
        /// The numbers of the epochs that writes began, by the written resources.
        var written: [String: Int] = [:]
    }

    private var latest = 0
    private var epochs: [Identity: Epoch] = [:]
    /// The epoch of each cache that isn't in `epochs`.
    private var other = 0

    private static let current = Lock(CacheEpochs())
    /// The number of caches and of written URLs to remember. Beyond it, all of them begin a new epoch.
    private static let limit = 4096

    /// The number of the latest epoch of any cache.
    static var latest: Int { current.withLock { $0.latest } }

    /// Begins new epochs.
    ///
    /// - Parameter urls: The URLs that were written, or `nil` after a wipe.
    static func begin(_ caches: some Sequence<Identity>, for urls: [URL]? = nil) {
        let resources = urls?.map(\.resource)
        current.withLock { $0.begin(caches, resources) }
    }

    private mutating func begin(_ caches: some Sequence<Identity>, _ resources: [String]?) {
        latest += 1
        if epochs.count > Self.limit { (epochs, other) = ([:], latest) }
        for cache in caches {
            var epoch = epochs[cache] ?? Epoch(wiped: other)
            for resource in resources ?? [] { epoch.written[resource] = latest }
            if resources == nil || epoch.written.count > Self.limit { epoch = Epoch(wiped: latest) }
            epochs[cache] = epoch
        }
    }

    /// Returns whether a response for a URL that was requested in an epoch may be stored.
    static func isCurrent(_ cache: Identity, _ url: URL?, by number: Int) -> Bool {
        let (epoch, other, latest) = current.withLock { ($0.epochs[cache], $0.other, $0.latest) }
        if latest <= number { return true }
        guard let epoch else { return other <= number }
        if epoch.wiped > number { return false }
        return epoch.written.isEmpty || epoch.written[url?.resource ?? ""] ?? 0 <= number
    }
}

extension EntityCache {
    /// Distinguishes the cache's responses from the responses of other caches.
    var identity: CacheEpochs.Identity {
        if let cache = self as? DiskCache { return .folder(cache.path) }
        // A cache that isn't an object is identified by its queue, which it may share with others.
        return .object(
            type(of: self) is AnyClass ? ObjectIdentifier(self as AnyObject) : ObjectIdentifier(workQueue))
    }
}
