import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif
#if canImport(Network)
    import Network
#endif

extension RetryPolicy {
    /// Creates a policy like ``standard`` that has its own budget and waits while the network is unavailable.
    ///
    /// On Apple platforms, the system reports when the network is available (`NWPathMonitor`). On other platforms, the
    /// request is sent again with backoff, whose longest delay is 20 s.
    ///
    /// - Parameter limit: The maximum total waiting time, excluding the attempts. The request's own timeout also
    ///   applies.
    public static func whenOnline(within limit: Duration) -> RetryPolicy {
        var policy = RetryPolicy()
        policy.offlineLimit = limit
        return policy
    }

    static let offlineErrors: Set<URLError.Code> = [
        .notConnectedToInternet, .networkConnectionLost, .cannotConnectToHost, .cannotFindHost,
        .dnsLookupFailed,
        .dataNotAllowed, .internationalRoamingOff,
    ]

    /// On Apple platforms, the action runs early if no server was reached and the network is available again.
    func schedule(
        after wait: Duration, for error: (any Error)?, by clock: any ServiceClock,
        _ action: @escaping @Sendable () -> Void
    ) -> ScheduledWork {
        #if canImport(Network)
            if offlineLimit > .zero, let error = error as? URLError, Self.offlineErrors.contains(error.code) {
                return NetworkWait.schedule(after: wait, clock, action)
            }
        #endif
        return clock.schedule(after: wait, action)
    }
}

#if canImport(Network)
    /// Waits for a delay, or until an unavailable network is available again.
    // Unchecked: the monitor is started once, and it may be cancelled on any thread. The other state is under the lock.
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
            after wait: Duration, _ clock: any ServiceClock, _ action: @escaping @Sendable () -> Void
        ) -> ScheduledWork {
            let work = NetworkWait(action)
            work.monitor.pathUpdateHandler = { [weak work] path in
                work?.update(isSatisfied: path.status == .satisfied)
            }
            work.monitor.start(queue: .utility)
            let timer = clock.schedule(after: wait) { work.end(acts: true) }
            work.state.withLock { $0.timer.keep(timer, if: $0.action != nil) }.cancelIfUnneeded()
            return ScheduledWork { work.end(acts: false) }
        }

        /// If the network was never unavailable, the server can't be reached for another reason, so the wait continues.
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
