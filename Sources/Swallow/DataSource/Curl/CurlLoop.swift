#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
    import Foundation
    import FoundationNetworking
    import Glibc

    /// A thread with an event loop, for as long as anybody holds this.
    ///
    /// Data sources and tasks hold it, and the loop holds the tasks that are under way; so when it goes away, none is
    /// left.
    final class CurlLoop: Sendable {
        let configuration: CurlDataSource.Configuration
        /// Where tasks go on when the loop is done with them.
        let completions: CurlWorkers
        /// Runs a job on one of their threads.
        let run: @Sendable (@escaping CurlWorkers.Job) -> Void
        let openExchanges = OpenExchanges()
        private let inbox: CurlInbox?

        init(_ configuration: CurlDataSource.Configuration) {
            self.configuration = configuration
            let inbox = CurlDataSource.isAvailable ? CurlInbox() : nil
            let completions = CurlWorkers { _ = inbox?.add(.help) }
            self.inbox = inbox
            self.completions = completions
            // Weakly, so that a task that has ended, but is kept, keeps no loop's workers and what wakes them.
            run = { [weak completions] job in
                if let completions {
                    completions.async(job)
                } else {
                    DispatchQueue.deliveries.async(execute: job)
                }
            }
            guard let inbox, CurlLoops.add(inbox) else { return }
            let thread = Thread {
                // Before it runs, Foundation would keep it to itself.
                Thread.current.name = "Swallow.curl"
                CurlEventLoop(inbox, configuration, completions).run()
                CurlLoops.remove(inbox)
                inbox.end()
            }
            thread.start()
        }

        deinit {
            completions.close()
            // The loop's own thread may be the last to let go of a task; it can't wait for itself.
            if let inbox, inbox.close() { inbox.waitForEnd(until: .distantFuture) }
        }

        /// Ends the loop once its tasks have ended, or a time is over.
        func shutDown(within limit: Duration) async {
            await openExchanges.close(within: limit)
            guard let inbox else { return }
            _ = inbox.close()
            await withCheckedContinuation { continuation in
                inbox.whenEnded { continuation.resume() }
            }
        }

        /// Makes the loop look at a task whose state has changed; says whether there is a loop.
        func attend(to task: CurlDataTask) -> Bool {
            inbox?.add(.task(task)) ?? false
        }

        /// Visits the loop's cookies on its thread, before any task that is added later; says whether there is a
        /// loop.
        func visitCookies(_ visit: @escaping @Sendable (CurlCookieJar?) -> Void) -> Bool {
            inbox?.add(.visit(visit)) ?? false
        }
    }

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
