import Foundation
import Swallow

extension Resource {
    /// Replaces the latest data with your own. Its age counts from the entity's `timestamp`.
    ///
    /// The call clears ``latestError`` and raises ``ResourceEvent/newData(_:)`` with `.localOverride`. A running load
    /// is cancelled, because its response may be older, and its handle receives this content. A write in
    /// ``load(using:)`` continues. Later loads don't validate this data.
    public func override(_ entity: Entity<Content>) {
        supersede(with: entity, .localOverride)
    }

    func supersede(with entity: Entity<Content>, _ source: ResourceEvent.Source) {
        let replaced = loading
        loading = nil
        replaceData(entity)
        isOverridden = source == .localOverride
        dataInvalidations = invalidations
        latestError = nil
        replaced?.stop()
        raise(.newData(source))
        if let replaced { end(replaced, .success(entity.content)) }
    }

    /// Replaces the latest content with your own, as received now. See ``override(_:)-(Entity<Content>)``.
    public func override(content: Content) {
        override(Entity(content: content, timestamp: clock.now))
    }

    /// Makes this resource, and all other resources of the store with the same URL, out of date. Raises no event.
    ///
    /// A running load still delivers its response, but doesn't make the resource up to date.
    public func invalidate() {
        guard let store, let entry else { return markInvalidated() }
        store.forEach(at: entry.url) { $0.markInvalidated() }
    }

    /// Removes data and error. Cancels pending changes and the load, except a write in ``load(using:)``. The load's
    /// handle fails with `.cancelled`. Raises ``ResourceEvent/newData(_:)`` with `.wipe`. Also wipes the store's other
    /// resources with this URL, but no caches.
    public func wipe() {
        guard let store, let entry else { return wipeAlone() }
        store.forEach(at: entry.url) { $0.wipeAlone() }
    }
}

@MainActor
protocol StoredResource: AnyResource {
    var isObserved: Bool { get }
    var refreshTriggers: Set<RefreshTrigger>? { get }
    func loadAsNeeded()
    func loadAgain()
    func markInvalidated()
    func wipeAlone()
    func cachesHaveRefreshed(by task: ServiceTask)
    func pathHasChanged(by task: ServiceTask)
}

extension Resource: StoredResource {
    func loadAsNeeded() { loadIfNeeded() }

    func loadAgain() { load() }

    func markInvalidated() {
        invalidations += 1
    }

    func wipeAlone() {
        let (replaced, dropped) = (loading, changes)
        hasLoaded = false
        loading = nil
        changes = []
        replaceData(nil)
        latestError = nil
        replaced?.stop()
        raise(.newData(.wipe))
        if let replaced { end(replaced, .failure(ServiceError(.cancelled))) }
        for change in dropped { change.cancel() }
    }

    func pathHasChanged(by task: ServiceTask) {
        // The resource itself uses the response to this write.
        if task === loading?.task || task === changes.first?.task { return }
        markInvalidated()
        if isObserved { load() }
    }
}
