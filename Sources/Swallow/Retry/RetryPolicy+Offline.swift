import Dispatch
import Foundation
#if canImport(Network)
    import Network
#endif

extension RetryPolicy {
    /// Returns a policy like ``standard``, but with its own budget and with `limit` as its ``offlineLimit``. While a
    /// task waits for the network, it sends the request again with backoff. On Apple platforms, it also sends the
    /// request when the network becomes available again (`NWPathMonitor`).
    public static func whenOnline(within limit: Duration) -> RetryPolicy {
        var policy = RetryPolicy()
        policy.offlineLimit = limit
        return policy
    }

    static let offlineErrors: Set<URLError.Code> = [
        .notConnectedToInternet, .networkConnectionLost, .cannotConnectToHost, .cannotFindHost,
        .dnsLookupFailed, .dataNotAllowed, .internationalRoamingOff,
    ]

    func schedule(
        after delay: Duration, for error: (any Error)?, by clock: any ServiceClock,
        _ action: @escaping @Sendable () -> Void
    ) -> ScheduledWork {
        #if canImport(Network)
            if offlineLimit > .zero, let error = error as? URLError, Self.offlineErrors.contains(error.code) {
                return NetworkWait.schedule(after: delay, clock, action)
            }
        #endif
        return clock.schedule(after: delay, action)
    }
}

#if canImport(Network)
    // Unchecked: the monitor is started once, and any thread may cancel it. `state` has a lock.
    private final class NetworkWait: @unchecked Sendable {
        private struct State: Sendable {
            var action: (@Sendable () -> Void)?
            var timer: ScheduledWork?
            var wasGone = false
        }

        private let monitor = NWPathMonitor()
        private let state: Lock<State>

        private init(_ action: @escaping @Sendable () -> Void) {
            state = Lock(State(action: action))
        }

        static func schedule(
            after delay: Duration, _ clock: any ServiceClock, _ action: @escaping @Sendable () -> Void
        ) -> ScheduledWork {
            let work = NetworkWait(action)
            work.monitor.pathUpdateHandler = { [weak work] path in
                work?.update(isSatisfied: path.status == .satisfied)
            }
            work.monitor.start(queue: .utility)
            let timer = clock.schedule(after: delay) { work.end(acts: true) }
            work.state.withLock { $0.timer.store(timer, if: $0.action != nil) }.cancelIfUnneeded()
            return ScheduledWork { work.end(acts: false) }
        }

        /// Stops waiting when the network returns after it was missing.
        private func update(isSatisfied: Bool) {
            let isBack = state.withLock { state in
                defer { if !isSatisfied { state.wasGone = true } }
                return isSatisfied && state.wasGone
            }
            if isBack { end(acts: true) }
        }

        private func end(acts: Bool) {
            let (action, timer) = state.withLock { ($0.action.take(), $0.timer.take()) }
            guard let action else { return }
            timer?.cancel()
            monitor.cancel()
            if acts { action() }
        }
    }
#endif
