import Foundation

extension Resource {
    /// Calls a closure at each event, on the main actor, for as long as its owner lives.
    ///
    /// The closure gets the owner, and shouldn't capture it: a captured owner stays alive until
    /// ``removeObservers(ownedBy:)``. ``ResourceEvent/observerAdded`` comes inside this call. An event that an observer
    /// causes waits until the current one has reached all observers; a removed observer gets none.
    @discardableResult
    public func addObserver<Owner: AnyObject>(
        owner: Owner, _ closure: @escaping @MainActor (Owner, Resource, ResourceEvent) -> Void
    ) -> Self {
        add(
            Observer(owner, isObject: false, after: eventCount) { owner, resource, event in
                if let owner = owner as? Owner { closure(owner, resource, event) }
            })
    }

    /// Tells an object of each event for as long as it lives; one that is told already is told once.
    ///
    /// ``ResourceEvent/observerAdded`` comes inside this call.
    @discardableResult
    public func addObserver(_ observer: any ResourceObserver) -> Self {
        if observers.contains(observer) { return self }
        return add(
            Observer(observer, isObject: true, after: eventCount) { observer, resource, event in
                (observer as? any ResourceObserver)?.resourceChanged(resource, event: event)
            })
    }

    /// Removes the closures that an object owns, and itself where it is a ``ResourceObserver``.
    public func removeObservers(ownedBy owner: AnyObject) {
        let wasObject = observers.remove(ownedBy: owner)
        _ = isObserved
        if wasObject, let observer = owner as? any ResourceObserver {
            callOut { [unowned self] in observer.stoppedObserving(self) }
        }
    }

    /// Whether the resource has an observer; Observation doesn't count. If it has none, its store may let go of it.
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

// MARK: - Calling out

extension Resource {
    /// Tells the observers of an event, after those raised before.
    func raise(_ event: ResourceEvent) {
        eventCount += 1
        store?.releaseSomeUnobserved()
        if observers.isEmpty, !isCallingOut { return }
        callouts.append(.event(event, number: eventCount))
        makeCallouts()
    }

    /// Calls a closure, after the events raised before.
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
