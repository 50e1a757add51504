import Foundation
import Swallow

extension Resource {
    /// Calls a closure on the main actor at each event, as long as its owner exists. The closure receives
    /// ``ResourceEvent/observerAdded`` before this call returns.
    ///
    /// The closure shouldn't capture the owner. If an observer causes an event, all receive the current event first.
    @discardableResult
    public func addObserver<Owner: AnyObject>(
        owner: Owner, _ closure: @escaping @MainActor (Owner, Resource, ResourceEvent) -> Void
    ) -> Self {
        add(
            Observer(owner, isObject: false, after: eventCount) { owner, resource, event in
                if let owner = owner as? Owner { closure(owner, resource, event) }
            })
    }

    /// Notifies an object of each event as long as it exists. The object receives ``ResourceEvent/observerAdded``
    /// before this call returns. Adding an object again has no effect.
    @discardableResult
    public func addObserver(_ observer: any ResourceObserver) -> Self {
        if observers.contains(observer) { return self }
        return add(
            Observer(observer, isObject: true, after: eventCount) { observer, resource, event in
                (observer as? any ResourceObserver)?.resourceChanged(resource, event: event)
            })
    }

    /// Removes an object's closures, and the object itself if it is a ``ResourceObserver``.
    public func removeObservers(ownedBy owner: AnyObject) {
        let wasObject = observers.remove(ownedBy: owner)
        _ = isObserved
        if wasObject, let observer = owner as? any ResourceObserver {
            callOut { [unowned self] in observer.stoppedObserving(self) }
        }
    }

    /// Whether the resource has an observer. If it has none, the store releases it when this property is read.
    var isObserved: Bool {
        let isObserved = observers.hasLiving()
        if !isObserved, let entry { store?.release(entry) }
        return isObserved
    }

    /// Calls a closure for each event of `raise(_:)`, before the observers. The owner doesn't count as an observer.
    func follow<Owner: AnyObject>(
        _ owner: Owner, _ closure: @escaping @MainActor (Owner, ResourceEvent) -> Void
    ) {
        followers.removeAll { $0.owner == nil }
        followers.append(
            Follower(owner: owner) { [weak owner] event in
                if let owner { closure(owner, event) }
            })
    }

    private func add(_ observer: Observer<Content>) -> Self {
        observers.append(observer)
        if let entry { store?.retain(self, at: entry) }
        if let owner = observer.owner { observer.notify(owner, self, .observerAdded) }
        return self
    }
}

extension Resource {
    /// Notifies the followers of an event immediately, and the observers after earlier events.
    func raise(_ event: ResourceEvent) {
        for follower in followers { follower.notify(event) }
        notifyObservers(of: event)
    }

    func notifyObservers(of event: ResourceEvent) {
        eventCount += 1
        store?.releaseSomeUnobserved()
        callOut { [self, number = eventCount] in notify(of: event, number) }
    }

    /// Calls a closure that notifies observers or a handler, after earlier such closures.
    func callOut(_ closure: @escaping @MainActor () -> Void) {
        callouts.append(closure)
        // The first closure's call of this function also calls the closures that are added during it.
        if callouts.count > 1 { return }
        var index = 0
        while index < callouts.count {
            callouts[index]()
            index += 1
        }
        // A released closure may release objects whose `deinit` uses the resource, so the array is replaced first.
        let done = callouts
        callouts = []
        withExtendedLifetime(done) {}
    }

    private func notify(of event: ResourceEvent, _ number: Int) {
        var hasLost = false
        for observer in observers.all where observer.eventCount < number && !observer.isRemoved {
            if let owner = observer.owner {
                observer.notify(owner, self, event)
            } else {
                hasLost = true
            }
        }
        if hasLost {
            observers.removeLost()
            _ = isObserved
        }
    }
}
