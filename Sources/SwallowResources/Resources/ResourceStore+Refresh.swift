import Foundation
import Swallow

extension ResourceStore {
    /// Loads each observed resource with the trigger ``RefreshTrigger/foreground`` if it isn't up to date.
    ///
    /// With UIKit, AppKit and WatchKit, the store calls this when the app returns. Otherwise, call it yourself.
    public func appDidReturnToForeground() {
        for resource in observedResources(with: .foreground) { resource.loadAsNeeded() }
    }

    /// Loads observed resources with the trigger ``RefreshTrigger/reconnect`` that aren't up to date or have an error.
    ///
    /// Call this function when the network returns. ``RefreshTrigger/reconnect`` describes when the store calls it.
    public func networkDidReturn() { networkDidReturn(noticedBy: nil) }

    /// Records whether a load reached the server. If an earlier load couldn't, the network has returned. The store
    /// notices this at most every 10 seconds, because other servers may stay unreachable.
    func noteLoad(of resource: any StoredResource, reachedServer: Bool) {
        guard reachedServer else { return isUnreachable = true }
        guard isUnreachable else { return }
        let pause = lastReturn.map { clock.now.timeIntervalSince($0) }
        if let pause, (0..<10).contains(pause) { return }
        lastReturn = clock.now
        networkDidReturn(noticedBy: resource)
    }

    private func networkDidReturn(noticedBy loaded: (any StoredResource)?) {
        isUnreachable = false
        for resource in observedResources(with: .reconnect) where resource !== loaded {
            if resource.latestError != nil { resource.markInvalidated() }
            resource.loadAsNeeded()
        }
    }

    func startWait(of entry: Entry) {
        guard let resource = entry.retained else { return }
        let triggers = triggers(of: resource)
        if triggers.isEmpty { return entry.wait = nil }
        systemEvents.watch(triggers, for: self)
        entry.wait = RefreshWait(triggers, from: clock.now)
        if let wait = entry.wait { wake(at: wait.end) }
    }

    private var clock: any ServiceClock { plainService.clock }

    private func triggers(of resource: any StoredResource) -> Set<RefreshTrigger> {
        resource.refreshTriggers ?? refreshTriggers
    }

    private func observedResources(with trigger: RefreshTrigger) -> [any StoredResource] {
        observed.compactMap(\.retained).filter {
            triggers(of: $0).contains(trigger) && $0.isObserved
        }
    }
}

extension ResourceStore {
    /// Sets a timer for a time, unless an earlier timer is set.
    private func wake(at time: Date) {
        if let alarm, alarm.time <= time { return }
        alarm?.timer.cancel()
        let delay = max(0, time.timeIntervalSince(clock.now))
        let timer = clock.schedule(after: .seconds(delay)) { [weak self] in
            MainActor.runSoon { self?.refreshDueResources() }
        }
        alarm = (time, timer)
    }

    /// Loads the resources that are due. Waits that end at almost the same time share one timer.
    private func refreshDueResources() {
        alarm = nil
        let now = clock.now
        var due: [any StoredResource] = []
        var (next, pause) = (Date.distantFuture, Double.infinity)
        for entry in observed {
            guard var wait = entry.wait, let resource = entry.retained else { continue }
            if wait.hasEnded(at: now) {
                // This also releases a resource that lost its observers.
                guard resource.isObserved else { continue }
                if !wait.continues(from: resource.timestamp, at: now) {
                    due.append(resource)
                    wait = RefreshWait(triggers(of: resource), from: now) ?? wait
                }
                entry.wait = wait
            }
            next = min(next, wait.end)
            pause = min(pause, wait.interval / 50)
        }
        if next < .distantFuture { wake(at: max(next, now.addingTimeInterval(pause))) }
        for resource in due where !resource.isLoading { resource.loadAgain() }
    }
}
