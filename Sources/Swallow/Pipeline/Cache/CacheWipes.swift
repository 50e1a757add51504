import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The wipes of this process's caches, by number. A response that was arriving when its cache was wiped isn't stored.
///
/// The wipes don't belong to a service, because services are created again for each use and share caches.
struct CacheWipes: Sendable {
    /// Identifies a cache. Caches that share their responses, for example in one folder, have the same identity.
    enum Identity: Hashable, Sendable {
        case object(ObjectIdentifier)
        case folder(String)
    }

    private struct Wipe: Sendable {
        let number: Int
        let isMeant: @Sendable (URL) -> Bool
    }

    /// The recent wipes of one cache.
    private struct Log: Sendable {
        var wipes: [Wipe] = []
        /// The number of the latest wipe that was dropped from `wipes`.
        var forgotten = 0
    }

    private var number = 0
    private var logs: [Identity: Log] = [:]
    /// The number of the latest wipe after which all logs were dropped.
    private var forgotten = 0

    /// The number of wipes of one cache, and the number of caches, to remember. They are more than occur while a
    /// response is arriving. A response that was requested before the remembered wipes counts as wiped.
    private static let limit = (wipes: 32, caches: 4096)
    private static let current = Lock(CacheWipes())

    /// The number of the latest wipe.
    static var latest: Int { current.withLock { $0.number } }

    /// Notes a wipe that is about to be carried out.
    ///
    /// - Parameter isMeant: Whether the responses for a URL are removed. The closure is stored for a while, so it must
    ///   not capture the app's objects.
    static func note(
        _ caches: Set<Identity>, _ isMeant: @escaping @Sendable (URL) -> Bool = { _ in true }
    ) {
        current.withLock { $0.add(caches, isMeant) }
    }

    /// Returns whether a response for a URL may be stored, if its request began after the wipe with this number.
    static func allow(_ url: URL?, in cache: Identity, since number: Int) -> Bool {
        let later = current.withLock { wipes -> [Wipe]? in
            if wipes.number == number { return [] }
            if number < wipes.forgotten { return nil }
            guard let log = wipes.logs[cache] else { return [] }
            return number < log.forgotten ? nil : log.wipes.filter { $0.number > number }
        }
        guard let later else { return false }
        return !later.contains { wipe in url.map(wipe.isMeant) ?? true }
    }

    private mutating func add(_ caches: Set<Identity>, _ isMeant: @escaping @Sendable (URL) -> Bool) {
        number += 1
        if logs.count > Self.limit.caches { (logs, forgotten) = ([:], number) }
        for cache in caches {
            var log = logs[cache] ?? Log()
            log.wipes.append(Wipe(number: number, isMeant: isMeant))
            if log.wipes.count > Self.limit.wipes { log.forgotten = log.wipes.removeFirst().number }
            logs[cache] = log
        }
    }
}

extension EntityCache {
    /// Distinguishes the cache's responses from the responses of other caches.
    var identity: CacheWipes.Identity {
        if let cache = self as? DiskCache { return .folder(cache.path) }
        // A cache that isn't an object is identified by its queue, which it may share with others.
        return .object(
            type(of: self) is AnyClass ? ObjectIdentifier(self as AnyObject) : ObjectIdentifier(workQueue))
    }
}
