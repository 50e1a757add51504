import Foundation

extension Resource {
    /// Puts data of the app's own in the place of the latest, as after a change that the server will confirm.
    ///
    /// It counts as up to date, clears ``latestError``, and notifies of ``ResourceEvent/newData(_:)`` with `.localOverride`
    /// within this call. A load under way knows nothing of it, so it is cancelled, and its handle ends with this content;
    /// a write whose answer was to be taken goes on, and invalidates the resource. No validator is sent for it.
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

    /// Puts content of the app's own in the place of the latest, dated now. See ``override(_:)-(Entity<Content>)``.
    public func override(content: Content) {
        override(Entity(content: content, timestamp: clock.now))
    }

    /// Makes the next ``loadIfNeeded()`` load, whatever the age of the data; notifies no observer.
    ///
    /// A load that began before doesn't count, though its answer is taken. Resources of the same URL with other types
    /// are invalidated, too.
    public func invalidate() {
        guard let store, let entry else { return markInvalidated() }
        store.forEach(at: entry.url) { $0.markInvalidated() }
    }

    /// Forgets data and error, cancels a load, whose handle ends with `.cancelled`, and notifies of
    /// ``ResourceEvent/newData(_:)`` with `.wipe`. It reaches the resources of the same URL with other types; caches keep
    /// what they have.
    public func wipe() {
        guard let store, let entry else { return wipeAlone() }
        store.forEach(at: entry.url) { $0.wipeAlone() }
    }
}

/// A resource as its store sees it.
@MainActor
protocol StoredResource: AnyResource {
    var isObserved: Bool { get }
    func loadAsNeeded()
    func markInvalidated()
    func wipeAlone()
    /// A background request has refreshed the caches.
    func cachesHaveRefreshed(by task: ServiceTask)
    /// A request has written to the resource's path.
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
        // The load takes this write's answer as the latest content.
        if let own = loading?.task, own === task { return }
        markInvalidated()
        if isObserved { load() }
    }
}
