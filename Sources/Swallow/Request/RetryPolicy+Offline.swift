import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif
#if canImport(Network)
    import Network
#endif

extension RetryPolicy {
    /// A policy like ``standard``, with a budget of its own, that waits where the network is gone until it is back.
    ///
    /// On Apple platforms the system says when that is (`NWPathMonitor`). Elsewhere the request is sent again with back-off,
    /// every 20 s in the end.
    ///
    /// - Parameter limit: how long it waits in all, its attempts aside; the request's own timeout counts, too.
    public static func whenOnline(within limit: Duration) -> RetryPolicy {
        var policy = RetryPolicy()
        policy.offlineLimit = limit
        return policy
    }

    /// The errors of a request that has reached nothing.
    static let offlineErrors: Set<URLError.Code> = [
        .notConnectedToInternet, .networkConnectionLost, .cannotConnectToHost, .cannotFindHost,
        .dnsLookupFailed,
        .dataNotAllowed, .internationalRoamingOff,
    ]

    /// Does work after a time or, where a request has reached nothing, as soon as the network is back.
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
    /// Waits for a time, or for a network that was gone to come back.
    // Unchecked: the monitor is started once, and cancelled on any thread, which it allows; the rest is under the lock.
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

        /// If the network was never gone, the wait goes on: the server can't be reached for another reason.
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
