import Foundation
import Swallow

#if canImport(Network)
    import Network
#endif

@MainActor
final class SystemEvents {
    // Unsafe: only the main actor and `deinit` use these properties.
    private nonisolated(unsafe) var notifications: [any NSObjectProtocol] = []
    #if canImport(Network)
        private nonisolated(unsafe) var monitor: NWPathMonitor?
        private var wasUnavailable = false
    #endif

    nonisolated init() {}

    deinit {
        for notification in notifications { NotificationCenter.default.removeObserver(notification) }
        #if canImport(Network)
            monitor?.cancel()
        #endif
    }

    func watch(_ triggers: Set<RefreshTrigger>, for store: ResourceStore) {
        if triggers.contains(.foreground), notifications.isEmpty {
            // The names are spelled out, so that none of UIKit, AppKit and WatchKit is linked.
            let names = [
                "UIApplicationWillEnterForegroundNotification", "NSApplicationDidBecomeActiveNotification",
                "WKApplicationWillEnterForegroundNotification",
            ]
            notifications = names.map { name in
                NotificationCenter.default.addObserver(
                    forName: Notification.Name(name), object: nil, queue: nil
                ) { [weak store] _ in
                    MainActor.runSoon { store?.appDidReturnToForeground() }
                }
            }
        }
        #if canImport(Network)
            if triggers.contains(.reconnect), monitor == nil { watchNetwork(for: store) }
        #endif
    }

    #if canImport(Network)
        private func watchNetwork(for store: ResourceStore) {
            let monitor = NWPathMonitor()
            monitor.pathUpdateHandler = { [weak self, weak store] path in
                let isAvailable = path.status == .satisfied
                MainActor.runSoon { self?.networkHasChanged(isAvailable: isAvailable, for: store) }
            }
            monitor.start(queue: .main)
            self.monitor = monitor
        }

        private func networkHasChanged(isAvailable: Bool, for store: ResourceStore?) {
            if isAvailable, wasUnavailable { store?.networkDidReturn() }
            wasUnavailable = !isAvailable
        }
    #endif
}
