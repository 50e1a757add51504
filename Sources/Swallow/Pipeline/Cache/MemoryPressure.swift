import Foundation

/// Frees memory that isn't in use when the system runs out of it: on Apple platforms, where the system says so.
// Unchecked: the system's source of events is made once, and not used after that; the rest is under the lock.
final class MemoryPressure: @unchecked Sendable {
    private struct Member: Sendable {
        weak var owner: (any AnyObject & Sendable)?
        let free: @Sendable (any AnyObject & Sendable) -> Void
    }

    private struct State: Sendable {
        var members: [Member] = []
        /// With more members than this, those whose owners are gone are removed.
        var limit = 16
    }

    /// The system's.
    static let shared = MemoryPressure(isSystem: true)

    private let state = Lock(State())
    #if canImport(Darwin)
        private let source: (any DispatchSourceMemoryPressure)?
    #endif

    /// Makes one that the system doesn't call: only the code that made it does.
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

    /// Tells an object to free what it need not keep, for as long as there is that object.
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

    /// Frees what isn't in use: what the objects have, and the blocks that are kept for the next JSON document.
    func relieve() {
        for member in state.withLock({ $0.members }) {
            if let owner = member.owner { member.free(owner) }
        }
        JSON.freeSpareMemory()
    }
}
