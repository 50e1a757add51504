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
        /// How long the process's exit waits for the loops. Ending takes a millisecond; only in an older libcurl, which waits
        /// for a name, a loop can be late.
        private static let patience = DispatchTimeInterval.seconds(2)

        /// Stops the loops at the process's exit; to be called once OpenSSL is there, since the handlers of an exit
        /// run in the opposite order.
        static func stopAtExit() {
            atexit { CurlLoops.stopAll() }
        }

        /// Adds a loop; false if the process is ending, so that it must not run.
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
