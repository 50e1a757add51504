import Foundation

/// Frees unused memory when the system runs out of memory. Only Apple platforms report this.
// Unchecked, because the system's event source is created once and not used after that, and a lock protects the rest.
final class MemoryPressure: @unchecked Sendable {
    private struct Member: Sendable {
        weak var owner: (any AnyObject & Sendable)?
        let free: @Sendable (any AnyObject & Sendable) -> Void
    }

    private struct State: Sendable {
        var members: [Member] = []
        /// If there are more members than this, those whose owners were released are removed.
        var limit = 16
    }

    /// The instance that the system notifies.
    static let shared = MemoryPressure(isSystem: true)

    private let state = Lock(State())
    #if canImport(Darwin)
        private let source: (any DispatchSourceMemoryPressure)?
    #endif

    /// Creates an instance that the system doesn't notify. Only its creator calls it.
    convenience init() {
        self.init(isSystem: false)
    }

    private init(isSystem: Bool) {
        #if canImport(Darwin)
            source =
                isSystem
                ? DispatchSource.makeMemoryPressureSource(eventMask: [.warning, .critical], queue: .utility)
                : nil
            source?.setEventHandler { [weak self] in self?.relieve() }
            source?.activate()
        #endif
    }

    /// Calls a closure that frees an object's unneeded memory, as long as the object exists.
    func add<Owner: AnyObject & Sendable>(_ owner: Owner, _ free: @escaping @Sendable (Owner) -> Void) {
        let member = Member(owner: owner) { owner in
            if let owner = owner as? Owner { free(owner) }
        }
        state.withLock { state in
            state.members.append(member)
            guard state.members.count > state.limit else { return }
            state.members.removeAll { $0.owner == nil }
            state.limit = 2 * state.members.count + 16
        }
    }

    /// Frees the unused memory of the objects, and the blocks that are kept for the next JSON document.
    func relieve() {
        for member in state.withLock({ $0.members }) {
            if let owner = member.owner { member.free(owner) }
        }
        JSON.freeSpareMemory()
    }
}
