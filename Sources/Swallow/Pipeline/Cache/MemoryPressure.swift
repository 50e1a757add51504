import Foundation

/// Empties memory caches when the system is short of memory. Only Apple platforms report this.
// Unchecked: only the initializer uses `source`, and a lock protects `members`.
final class MemoryPressure: @unchecked Sendable {
    private struct Member: Sendable {
        weak var cache: MemoryCache?
    }

    static let shared = MemoryPressure(isSystem: true)

    private let members = Lock<[Member]>([])
    #if canImport(Darwin)
        private var source: (any DispatchSourceMemoryPressure)?
    #endif

    init(isSystem: Bool = false) {
        #if canImport(Darwin)
            guard isSystem else { return }
            source = DispatchSource.makeMemoryPressureSource(
                eventMask: [.warning, .critical], queue: .utility)
            source?.setEventHandler { [weak self] in self?.relieve() }
            source?.activate()
        #endif
    }

    func add(_ cache: MemoryCache) {
        members.withLock { members in
            members.removeAll { $0.cache == nil }
            members.append(Member(cache: cache))
        }
    }

    func relieve() {
        for cache in members.withLock({ $0.compactMap(\.cache) }) { cache.removeResponses() }
        JSON.freeSpareMemory()
    }
}
