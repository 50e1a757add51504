#if os(Linux) && canImport(Glibc)
    import Foundation
    import Glibc

    /// The loops of this process, which end before the process does: OpenSSL is torn down at its exit, under any thread
    /// that still uses it.
    enum CurlLoops {
        private struct State: Sendable {
            var inboxes: [ObjectIdentifier: CurlInbox] = [:]
            var process: pid_t = 0
            var isOver = false
        }

        private static let state = Lock(State())
        /// What the process's exit waits for a loop at most. Ending takes a millisecond; a loop can only be late in an
        /// older libcurl that waits for a name.
        private static let patience = DispatchTimeInterval.seconds(2)

        /// Stops the loops at the process's exit; to be called once OpenSSL is there, since the handlers of an exit
        /// run in the opposite order.
        static func stopAtExit() {
            atexit { CurlLoops.stopAll() }
        }

        /// Says whether the loop may run.
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
                // A child process has none of its parent's threads.
                return state.process == getpid() ? Array(state.inboxes.values) : []
            }
            let others = inboxes.filter { $0.close() }
            let end = DispatchTime.now() + patience
            for inbox in others { inbox.waitForEnd(until: end) }
        }
    }
#endif
