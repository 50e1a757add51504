#if os(Linux) && canImport(Glibc)
    import Foundation
    import Glibc
    import SwallowLock

    /// A thread with an event loop. It starts when it is first needed, and ends when this object is closed or released.
    package final class EngineLoop: Sendable {
        package typealias StartThread = @Sendable (@escaping @Sendable () -> Void) throws -> Void

        let configuration: EngineConfiguration
        private let inbox: CurlInbox?
        private let startThread: StartThread
        private let isStarted = Lock(false)
        private let endTimeout: DispatchTimeInterval

        package init(
            _ configuration: EngineConfiguration,
            endTimeout: DispatchTimeInterval = CurlLoops.endTimeout,
            startThread: @escaping StartThread = DetachedThread.start
        ) {
            self.configuration = configuration
            self.endTimeout = endTimeout
            self.startThread = startThread
            inbox = CurlLibrary.isAvailable ? CurlInbox() : nil
        }

        deinit {
            // The loop's thread can't wait for itself. A forked child process lacks the thread, so the wait times out.
            if let inbox, close(inbox) { inbox.waitForEnd(until: .now() + endTimeout) }
        }

        package func start() throws {
            guard let inbox else { return }
            try isStarted.withLock { isStarted in
                if isStarted { return }
                guard CurlLoops.add(inbox) else {
                    isStarted = true
                    return
                }
                do {
                    try startThread { [configuration] in
                        Thread.current.name = "Swallow.curl"
                        CurlEventLoop(inbox, configuration).run()
                        CurlLoops.remove(inbox)
                        inbox.end()
                    }
                    isStarted = true
                } catch {
                    CurlLoops.remove(inbox)
                    throw error
                }
            }
        }

        private func close(_ inbox: CurlInbox) -> Bool {
            isStarted.withLock { isStarted in
                // Closed first, so that nothing can be added to the inbox of a loop that never runs.
                let isOther = inbox.close()
                if !isStarted { inbox.endUnstarted() }
                isStarted = true
                return isOther
            }
        }

        /// Call this before you cancel all requests. Otherwise, waiting requests would start on the freed connections.
        package func stopSending() { inbox?.stopSending() }

        package func close() async {
            guard let inbox else { return }
            _ = close(inbox)
            await withCheckedContinuation { continuation in
                inbox.whenEnded { continuation.resume() }
            }
        }

        func send(_ command: EngineTransfer.Command, to transfer: EngineTransfer) -> Bool {
            inbox?.add(.command(command, transfer)) ?? false
        }

        /// Passes the cookies to a closure on the loop's thread. Returns `false` if the loop can't start or is closed.
        package func visitCookies(_ visit: @escaping @Sendable (CurlCookieJar?) -> Void) -> Bool {
            do { try start() } catch { return false }
            return inbox?.add(.visit(visit)) ?? false
        }

        package func changeCookies(_ change: @escaping @Sendable (CurlCookieJar?) -> Void) {
            if !visitCookies(change) { _ = inbox?.add(.visit(change)) }
        }
    }

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
