import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The wipes of this process's caches, by number: a response that was on its way when its cache was wiped isn't kept.
///
/// They belong to no service, since services are made anew for each use, and share caches.
struct CacheWipes: Sendable {
    /// Identifies a cache. Caches that share what they keep, in one folder for instance, have the same identity.
    enum Identity: Hashable, Sendable {
        case object(ObjectIdentifier)
        case folder(String)
    }

    private struct Wipe: Sendable {
        let number: Int
        let isMeant: @Sendable (URL) -> Bool
    }

    /// What is remembered of one cache's wipes.
    private struct Log: Sendable {
        var wipes: [Wipe] = []
        /// The number of the latest wipe that isn't remembered any more.
        var forgotten = 0
    }

    private var number = 0
    private var logs: [Identity: Log] = [:]
    /// The number of the latest wipe of which nothing is remembered, not even the cache.
    private var forgotten = 0

    /// How many wipes of a cache, and how many caches, are remembered: more than occur while a response is on its
    /// way. For a response that was requested earlier than that, everything counts as wiped.
    private static let limit = (wipes: 32, caches: 4096)
    private static let current = Lock(CacheWipes())

    /// The number of the latest wipe.
    static var latest: Int { current.withLock { $0.number } }

    /// Notes a wipe that is about to be carried out.
    ///
    /// - Parameter isMeant: whether the responses for a URL go; it is kept for a while, so it must hold nothing of an app's.
    static func note(
        _ caches: Set<Identity>, _ isMeant: @escaping @Sendable (URL) -> Bool = { _ in true }
    ) {
        current.withLock { $0.add(caches, isMeant) }
    }

    /// Whether a response for a URL that has been on its way since a wipe may be kept.
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
    /// What tells the cache's responses from other caches'.
    var identity: CacheWipes.Identity {
        if let cache = self as? DiskCache { return .folder(cache.path) }
        // A cache that isn't an object is identified by its queue, which it may share with others.
        return .object(
            type(of: self) is AnyClass ? ObjectIdentifier(self as AnyObject) : ObjectIdentifier(workQueue))
    }
}
