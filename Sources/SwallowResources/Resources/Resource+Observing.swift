import Foundation
import Swallow

extension Resource {
    /// Calls a closure on the main actor at each event, as long as its owner exists.
    ///
    /// The closure receives the owner and shouldn't capture it, because a captured owner stays alive until
    /// ``removeObservers(ownedBy:)``. ``ResourceEvent/observerAdded`` is raised before this call returns. If an
    /// observer causes an event, the event waits until the current one has reached all observers. A removed observer
    /// receives no more events.
    @discardableResult
    public func addObserver<Owner: AnyObject>(
        owner: Owner, _ closure: @escaping @MainActor (Owner, Resource, ResourceEvent) -> Void
    ) -> Self {
        add(
            Observer(owner, isObject: false, after: eventCount) { owner, resource, event in
                if let owner = owner as? Owner { closure(owner, resource, event) }
            })
    }

    /// Notifies an object of each event as long as it exists. Adding an object twice has no effect.
    ///
    /// ``ResourceEvent/observerAdded`` is raised before this call returns.
    @discardableResult
    public func addObserver(_ observer: any ResourceObserver) -> Self {
        if observers.contains(observer) { return self }
        return add(
            Observer(observer, isObject: true, after: eventCount) { observer, resource, event in
                (observer as? any ResourceObserver)?.resourceChanged(resource, event: event)
            })
    }

    /// Removes the closures that an object owns, and the object itself if it is a ``ResourceObserver``.
    public func removeObservers(ownedBy owner: AnyObject) {
        let wasObject = observers.remove(ownedBy: owner)
        _ = isObserved
        if wasObject, let observer = owner as? any ResourceObserver {
            callOut { [unowned self] in observer.stoppedObserving(self) }
        }
    }

    /// Whether the resource has an observer. Swift's Observation doesn't count. If there is no observer, the store may
    /// release the resource.
    var isObserved: Bool {
        let isObserved = observers.hasLiving()
        if !isObserved, let entry { entry.store?.release(entry) }
        return isObserved
    }

    private func add(_ observer: Observer<Content>) -> Self {
        observers.append(observer)
        if let entry { entry.store?.retain(self, at: entry) }
        if let owner = observer.owner { observer.notify(owner, self, .observerAdded) }
        return self
    }
}

// MARK: - Calling observers

extension Resource {
    /// Notifies the observers of an event, after the events raised earlier.
    func raise(_ event: ResourceEvent) {
        eventCount += 1
        store?.releaseSomeUnobserved()
        if observers.isEmpty, !isCallingOut { return }
        callouts.append(.event(event, number: eventCount))
        makeCallouts()
    }

    /// Calls a closure, after the events raised earlier.
    func callOut(_ closure: @escaping @MainActor () -> Void) {
        callouts.append(.closure(closure))
        makeCallouts()
    }

    private func makeCallouts() {
        if isCallingOut { return }
        isCallingOut = true
        var index = 0
        while index < callouts.count {
            switch callouts[index] {
            case .event(let event, let number): notify(of: event, number)
            case .closure(let closure): closure()
            }
            index += 1
        }
        callouts.removeAll(keepingCapacity: false)
        isCallingOut = false
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
