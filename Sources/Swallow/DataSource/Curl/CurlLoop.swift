#if os(Linux) && canImport(Glibc)
    import Foundation
    import FoundationNetworking

    /// A thread with an event loop. The thread starts with the first request, and ends when this object is released.
    ///
    /// Data sources and tasks hold the loop, and the loop holds the tasks that are under way. So when the loop is
    /// released, no task is left.
    final class CurlLoop: Sendable {
        /// Runs a closure on a new thread, or throws if the system refuses the thread.
        typealias StartThread = @Sendable (@escaping @Sendable () -> Void) throws -> Void

        let configuration: CurlDataSource.Configuration
        /// The threads on which tasks go on when the loop is done with them.
        let completions: CurlWorkers
        /// Runs a job on one of those threads.
        let run: @Sendable (@escaping CurlWorkers.Job) -> Void
        let openExchanges = OpenExchanges()
        private let inbox: CurlInbox?
        private let startThread: StartThread
        /// Whether the thread was started, or must not start any more.
        private let isStarted = Lock(false)
        /// How long the release of the loop waits for the thread's end.
        private let patience: DispatchTimeInterval

        init(
            _ configuration: CurlDataSource.Configuration,
            patience: DispatchTimeInterval = CurlLoops.patience,
            startThread: @escaping StartThread = DetachedThread.start
        ) {
            self.configuration = configuration
            self.patience = patience
            self.startThread = startThread
            let inbox = CurlDataSource.isAvailable ? CurlInbox() : nil
            let completions = CurlWorkers { _ = inbox?.add(.help) }
            self.inbox = inbox
            self.completions = completions
            // Weakly, so that a task that is kept after its end doesn't keep the workers and the inbox alive.
            run = { [weak completions] job in
                if let completions {
                    completions.async(job)
                } else {
                    DispatchQueue.deliveries.async(execute: job)
                }
            }
        }

        deinit {
            completions.close()
            // The loop's own thread may be the last to let go of a task; it can't wait for itself. A thread that was
            // lost, for example in a child process after a fork, never ends, so the wait has a limit.
            if let inbox, close(inbox) { inbox.waitForEnd(until: .now() + patience) }
        }

        /// Starts the thread unless it was started before.
        ///
        /// - Throws: a `ServiceError` if the system refuses a thread. The next call tries again.
        func start() throws {
            guard let inbox else { return }
            try isStarted.withLock { isStarted in
                if isStarted { return }
                guard CurlLoops.add(inbox) else {
                    isStarted = true
                    return
                }
                do {
                    try startThread { [configuration, completions] in
                        Thread.current.name = "Swallow.curl"
                        CurlEventLoop(inbox, configuration, completions).run()
                        CurlLoops.remove(inbox)
                        inbox.end()
                    }
                    isStarted = true
                } catch {
                    CurlLoops.remove(inbox)
                    throw ServiceError(
                        .transport(URLError(.resourceUnavailable)),
                        detail: "the system refused a thread for the data source", underlying: error)
                }
            }
        }

        /// Ends the loop; returns whether the caller isn't the loop's own thread.
        private func close(_ inbox: CurlInbox) -> Bool {
            isStarted.withLock { isStarted in
                // Closed first, so that no visit is added to a loop that never runs.
                let isOther = inbox.close()
                if !isStarted { inbox.endUnstarted() }
                isStarted = true
                return isOther
            }
        }

        /// Ends the loop once its tasks have ended, or a time is over.
        func shutDown(within limit: Duration) async {
            await openExchanges.close(within: limit) { [inbox] in inbox?.stopSending() }
            guard let inbox else { return }
            _ = close(inbox)
            await withCheckedContinuation { continuation in
                inbox.whenEnded { continuation.resume() }
            }
        }

        /// Makes the loop look at a task whose state has changed; says whether there is a loop.
        func attend(to task: CurlDataTask) -> Bool {
            inbox?.add(.task(task)) ?? false
        }

        /// Visits the loop's cookies on its thread, before any task that is added later. Returns false, and doesn't
        /// call the closure, if there is no loop or its thread can't be started.
        func visitCookies(_ visit: @escaping @Sendable (CurlCookieJar?) -> Void) -> Bool {
            do { try start() } catch { return false }
            return inbox?.add(.visit(visit)) ?? false
        }

        /// Changes the loop's cookies on its thread, before any task that is added later. If the thread can't be
        /// started now, the change is made when it starts.
        func changeCookies(_ change: @escaping @Sendable (CurlCookieJar?) -> Void) {
            if !visitCookies(change) { _ = inbox?.add(.visit(change)) }
        }
    }
#endif
