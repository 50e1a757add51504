import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The wipes of this process's caches, by number: a response that was on its way when its cache was wiped isn't kept.
///
/// They belong to no service, since services are made anew for each use, and share caches.
struct CacheWipes: Sendable {
    /// What tells caches apart that don't share what they keep.
    enum Identity: Hashable, Sendable {
        case object(ObjectIdentifier)
        case folder(String)
    }

    private struct Wipe: Sendable {
        let number: Int
        let caches: Set<Identity>
        let isMeant: @Sendable (URL) -> Bool
    }

    private var number = 0
    private var wipes: [Wipe] = []
    /// The number of the latest wipe that isn't remembered any more.
    private var forgotten = 0

    /// More than are made while a response is on its way; for an older one everything counts as wiped.
    private static let limit = 32
    private static let current = Lock(CacheWipes())

    /// The number of the latest wipe.
    static var latest: Int { current.withLock { $0.number } }

    /// Notes a wipe that is about to be carried out.
    ///
    /// - Parameter isMeant: whether the responses for a URL go; it is kept for a while, so it must hold nothing of an app's.
    static func note(_ caches: Set<Identity>, _ isMeant: @escaping @Sendable (URL) -> Bool = { _ in true }) {
        // Returned, so that it ends outside the lock.
        _ = current.withLock { $0.add(caches, isMeant) }
    }

    /// Whether a response for a URL that has been on its way since a wipe may be kept.
    static func allow(_ url: URL?, in cache: Identity, since number: Int) -> Bool {
        let later = current.withLock { wipes -> [Wipe]? in
            if wipes.number == number { return [] }
            if number < wipes.forgotten { return nil }
            return wipes.wipes.filter { $0.number > number && $0.caches.contains(cache) }
        }
        guard let later else { return false }
        return !later.contains { wipe in url.map(wipe.isMeant) ?? true }
    }

    private mutating func add(_ caches: Set<Identity>, _ isMeant: @escaping @Sendable (URL) -> Bool) -> Wipe?
    {
        number += 1
        wipes.append(Wipe(number: number, caches: caches, isMeant: isMeant))
        guard wipes.count > Self.limit else { return nil }
        let oldest = wipes.removeFirst()
        forgotten = oldest.number
        return oldest
    }
}

extension EntityCache {
    /// What tells the cache's responses from other caches'.
    var identity: CacheWipes.Identity {
        if let cache = self as? DiskCache { return .folder(cache.path) }
        // One that is no object is known by its queue, if by more than it need be.
        return .object(
            type(of: self) is AnyClass ? ObjectIdentifier(self as AnyObject) : ObjectIdentifier(workQueue))
    }
}
