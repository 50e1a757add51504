import Foundation
import Swallow

extension Resource {
    /// Replaces the latest data with the app's own, which counts as up to date.
    ///
    /// The call clears ``latestError`` and raises ``ResourceEvent/newData(_:)`` with `.localOverride` before it
    /// returns. A running load is cancelled because its response may be older, and its handle receives this content. A
    /// write passed to ``load(using:)`` continues and invalidates the resource. Later loads send no validator for this
    /// data.
    public func override(_ entity: Entity<Content>) {
        supersede(with: entity, .localOverride)
    }

    /// Uses data that is newer than the response of any running load, which is cancelled.
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

    /// Replaces the latest content with the app's own, with the current time. See ``override(_:)-(Entity<Content>)``.
    public func override(content: Content) {
        override(Entity(content: content, timestamp: clock.now))
    }

    /// Makes the next ``loadIfNeeded()`` load, regardless of the age of the data. Applies to all resources with the
    /// same URL, and notifies no observer.
    ///
    /// The response to a load that began earlier is still used, but it doesn't make the resource up to date.
    public func invalidate() {
        guard let store, let entry else { return markInvalidated() }
        store.forEach(at: entry.url) { $0.markInvalidated() }
    }

    /// Removes data and error, and cancels the current load, whose handle fails with `.cancelled`. Applies to all
    /// resources with the same URL, and raises ``ResourceEvent/newData(_:)`` with `.wipe`. Caches keep their responses.
    public func wipe() {
        guard let store, let entry else { return wipeAlone() }
        store.forEach(at: entry.url) { $0.wipeAlone() }
    }
}

/// The requirements that a store has for its resources.
@MainActor
protocol StoredResource: AnyResource {
    var isObserved: Bool { get }
    var refreshTriggers: Set<RefreshTrigger>? { get }
    func loadAsNeeded()
    func loadAgain()
    func markInvalidated()
    func wipeAlone()
    /// Called after a background request has refreshed the caches.
    func cachesHaveRefreshed(by task: ServiceTask)
    /// Called after a request has written to the resource's path.
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
        // The response to this write becomes the latest content.
        if task === loading?.task || task === changes.first?.task { return }
        markInvalidated()
        if isObserved { load() }
    }
}
