import Foundation
import Swallow

extension Resource {
    /// Replaces the latest data with the app's own, for example after a change that the server will confirm.
    ///
    /// The data counts as up to date. The call clears ``latestError`` and raises ``ResourceEvent/newData(_:)`` with
    /// `.localOverride` before it returns. A running load is cancelled because its response may be older, and its
    /// handle receives this content. A write passed to ``load(using:)`` continues and invalidates the resource. Later
    /// loads send no validator for this data.
    public func override(_ entity: Entity<Content>) {
        let replaced = loading
        loading = nil
        replaceData(entity)
        isOverridden = true
        dataInvalidations = invalidations
        latestError = nil
        replaced?.stop()
        raise(.newData(.localOverride))
        if let replaced { end(replaced, .success(entity.content)) }
    }

    /// Replaces the latest content with the app's own, with the current time. See ``override(_:)-(Entity<Content>)``.
    public func override(content: Content) {
        override(Entity(content: content, timestamp: clock.now))
    }

    /// Makes the next ``loadIfNeeded()`` load, regardless of the age of the data. No observer is notified.
    ///
    /// A load that began earlier doesn't make the resource up to date, but its response is still used. Resources with
    /// the same URL and other types are invalidated too.
    public func invalidate() {
        guard let store, let entry else { return markInvalidated() }
        store.forEach(at: entry.url) { $0.markInvalidated() }
    }

    /// Removes data and error, and cancels the current load. The load's handle fails with `.cancelled`.
    ///
    /// The call raises ``ResourceEvent/newData(_:)`` with `.wipe`. It also wipes the resources with the same URL and
    /// other types. Caches keep their responses.
    public func wipe() {
        guard let store, let entry else { return wipeAlone() }
        store.forEach(at: entry.url) { $0.wipeAlone() }
    }
}

/// The requirements that a store has for its resources.
@MainActor
protocol StoredResource: AnyResource {
    var isObserved: Bool { get }
    func loadAsNeeded()
    func markInvalidated()
    func wipeAlone()
    /// Called after a background request has refreshed the caches.
    func cachesHaveRefreshed(by task: ServiceTask)
    /// Called after a request has written to the resource's path.
    func pathHasChanged(by task: ServiceTask)
}

extension Resource: StoredResource {
    func loadAsNeeded() { loadIfNeeded() }

    func markInvalidated() {
        invalidations += 1
    }

    func wipeAlone() {
        let replaced = loading
        hasLoaded = false
        loading = nil
        replaceData(nil)
        latestError = nil
        replaced?.stop()
        raise(.newData(.wipe))
        if let replaced { end(replaced, .failure(ServiceError(.cancelled))) }
    }

    func pathHasChanged(by task: ServiceTask) {
        // The load uses the response to this write as the latest content.
        if let own = loading?.task, own === task { return }
        markInvalidated()
        if isObserved { load() }
    }
}
