#if os(Linux) && canImport(Glibc)
    import Foundation
    import Glibc
    import SwallowLock

    /// Stops the loops of this process before it exits. The exit tears OpenSSL down even if a thread still uses it.
    package enum CurlLoops {
        private struct State: Sendable {
            var inboxes: [ObjectIdentifier: CurlInbox] = [:]
            var process: pid_t = 0
            var isOver = false
        }

        private static let state = Lock(State())
        /// The longest wait for a loop's thread, which ends within 1 ms unless an older libcurl is looking up a name.
        package static let endTimeout = DispatchTimeInterval.seconds(2)

        /// Call this function after OpenSSL is loaded, because exit handlers run in reverse order.
        static func stopAtExit() {
            atexit { CurlLoops.stopAll() }
        }

        static func add(_ inbox: CurlInbox) -> Bool {
            let mayRun = state.withLock { state in
                if state.isOver { return false }
                state.process = getpid()
                state.inboxes[ObjectIdentifier(inbox)] = inbox
                return true
            }
            if !mayRun {
                _ = inbox.close()
                inbox.end()
            }
            return mayRun
        }

        static func remove(_ inbox: CurlInbox) {
            state.withLock { $0.inboxes[ObjectIdentifier(inbox)] = nil }
        }

        private static func stopAll() {
            let inboxes = state.withLock { state in
                state.isOver = true
                // A child process doesn't have its parent's threads.
                return state.process == getpid() ? Array(state.inboxes.values) : []
            }
            let others = inboxes.filter { $0.close() }
            let end = DispatchTime.now() + endTimeout
            for inbox in others { inbox.waitForEnd(until: end) }
        }
    }
#endif
