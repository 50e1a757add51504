import Swallow

struct Follower {
    weak var owner: AnyObject?
    let notify: @MainActor (ResourceEvent) -> Void
}

@MainActor
final class Observer<Content: Sendable> {
    private(set) weak var owner: AnyObject?
    fileprivate let key: ObjectIdentifier
    let notify: @MainActor (AnyObject, Resource<Content>, ResourceEvent) -> Void
    /// The number of events raised before the observer was added, which it doesn't receive.
    let eventCount: Int
    fileprivate(set) var isRemoved = false
    /// Whether the owner itself is notified, and not a closure.
    let isObject: Bool

    init(
        _ owner: AnyObject, isObject: Bool, after eventCount: Int,
        _ notify: @escaping @MainActor (AnyObject, Resource<Content>, ResourceEvent) -> Void
    ) {
        self.owner = owner
        key = ObjectIdentifier(owner)
        self.isObject = isObject
        self.eventCount = eventCount
        self.notify = notify
    }
}

@MainActor
struct ObserverList<Content: Sendable> {
    /// The observers, including some that were removed or whose owner was released.
    private(set) var all: [Observer<Content>] = []
    private var byOwner: [ObjectIdentifier: [Observer<Content>]] = [:]
    private var removedCount = 0

    nonisolated init() {}

    mutating func hasLiving() -> Bool {
        while let last = all.last {
            if !last.isRemoved, last.owner != nil { return true }
            all.removeLast()
            if last.isRemoved { removedCount -= 1 } else { removeOwner(of: last) }
        }
        return false
    }

    func contains(_ object: AnyObject) -> Bool {
        byOwner[ObjectIdentifier(object)]?.contains { $0.isObject && $0.owner === object } ?? false
    }

    mutating func append(_ observer: Observer<Content>) {
        // A released owner may have had this owner's address.
        if let former = byOwner[observer.key]?.first, former.owner == nil { removeOwner(of: former) }
        byOwner[observer.key, default: []].append(observer)
        all.append(observer)
    }

    /// Removes an owner's observers. Returns whether the owner was added as a ``ResourceObserver``.
    mutating func remove(ownedBy owner: AnyObject) -> Bool {
        let removed = byOwner.removeValue(forKey: ObjectIdentifier(owner)) ?? []
        for observer in removed { observer.isRemoved = true }
        removedCount += removed.count
        if 2 * removedCount > all.count { dropRemoved() }
        return removed.contains { $0.isObject && $0.owner === owner }
    }

    mutating func removeLost() {
        for observer in all where observer.owner == nil && !observer.isRemoved {
            observer.isRemoved = true
            removeOwner(of: observer)
        }
        dropRemoved()
    }

    private mutating func dropRemoved() {
        all.removeAll(where: \.isRemoved)
        removedCount = 0
    }

    private mutating func removeOwner(of observer: Observer<Content>) {
        if byOwner[observer.key]?.first?.owner == nil { byOwner[observer.key] = nil }
    }
}
