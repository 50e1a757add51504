/// An observer of a resource's events.
@MainActor
final class Observer<Content: Sendable> {
    private(set) weak var owner: AnyObject?
    /// Identifies the owner, also after its release.
    fileprivate let key: ObjectIdentifier
    let notify: @MainActor (AnyObject, Resource<Content>, ResourceEvent) -> Void
    /// How many events had been raised when it was added.
    let eventCount: Int
    fileprivate(set) var isRemoved = false
    /// Whether the owner is the observer itself.
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

/// The observers of a resource in the order they came, and by owner: to add or remove one takes the same time however many
/// there are.
@MainActor
struct ObserverList<Content: Sendable> {
    /// All of them, some of which are removed or have lost their owner.
    private(set) var all: [Observer<Content>] = []
    private var byOwner: [ObjectIdentifier: [Observer<Content>]] = [:]
    private var removedCount = 0

    nonisolated init() {}

    var isEmpty: Bool { all.isEmpty }

    /// Whether one still has its owner.
    mutating func hasLiving() -> Bool {
        while let last = all.last {
            if !last.isRemoved, last.owner != nil { return true }
            all.removeLast()
            if last.isRemoved { removedCount -= 1 } else { forgetOwner(of: last) }
        }
        return false
    }

    /// Whether an object is itself an observer.
    func contains(_ object: AnyObject) -> Bool {
        byOwner[ObjectIdentifier(object)]?.contains { $0.isObject && $0.owner === object } ?? false
    }

    mutating func append(_ observer: Observer<Content>) {
        // Another owner may have had the same address.
        if let former = byOwner[observer.key]?.first, former.owner == nil { forgetOwner(of: former) }
        byOwner[observer.key, default: []].append(observer)
        all.append(observer)
    }

    /// Removes an owner's observers.
    ///
    /// - Returns: whether the owner was one of them itself.
    mutating func remove(ownedBy owner: AnyObject) -> Bool {
        let removed = byOwner.removeValue(forKey: ObjectIdentifier(owner)) ?? []
        for observer in removed { observer.isRemoved = true }
        removedCount += removed.count
        if 2 * removedCount > all.count { dropRemoved() }
        return removed.contains { $0.isObject && $0.owner === owner }
    }

    /// Removes those whose owners are gone.
    mutating func removeLost() {
        for observer in all where observer.owner == nil && !observer.isRemoved {
            observer.isRemoved = true
            forgetOwner(of: observer)
        }
        dropRemoved()
    }

    private mutating func dropRemoved() {
        all.removeAll(where: \.isRemoved)
        removedCount = 0
    }

    /// Forgets an owner that is gone, unless another has its address by now.
    private mutating func forgetOwner(of observer: Observer<Content>) {
        if byOwner[observer.key]?.first?.owner == nil { byOwner[observer.key] = nil }
    }
}
