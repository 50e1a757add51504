#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
    import Dispatch
    import Foundation
    import Glibc
    import SwallowLock

    /// Owns an event loop, and ends it when this object is closed or released.
    package final class EngineLoop: Sendable {
        package typealias StartThread = @Sendable (@escaping @Sendable () -> Void) throws -> Void

        let inbox: CurlInbox?
        private let endTimeout: DispatchTimeInterval

        package init(
            _ configuration: EngineConfiguration,
            endTimeout: DispatchTimeInterval = CurlLoops.endTimeout,
            startThread: @escaping StartThread = DetachedThread.start
        ) {
            self.endTimeout = endTimeout
            inbox = CurlLibrary.isAvailable ? CurlInbox(configuration, startThread) : nil
        }

        deinit {
            inbox?.shutDown()
            // A forked child process lacks the thread, so the wait times out.
            inbox?.waitForEnd(until: .now() + endTimeout)
        }

        /// Call this before you cancel all transfers. Otherwise, waiting ones would start on the freed connections.
        package func stopSending() { inbox?.addForLater(.stopSending) }

        package func close() async {
            guard let inbox else { return }
            inbox.shutDown()
            await withCheckedContinuation { continuation in
                inbox.whenEnded { continuation.resume() }
            }
        }

        /// Passes the cookies to a closure on the loop's thread. Returns `false` if the loop can't start or is closed.
        package func visitCookies(_ visit: @escaping @Sendable (CurlCookieJar?) -> Void) -> Bool {
            (try? inbox?.add(.visit(visit))) ?? false
        }

        package func changeCookies(_ change: @escaping @Sendable (CurlCookieJar?) -> Void) {
            if !visitCookies(change) { inbox?.addForLater(.visit(change)) }
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
        package static let endTimeout = DispatchTimeInterval.seconds(2)

        /// Call this function after OpenSSL is loaded, because exit handlers run in reverse order.
        static func stopAtExit() {
            atexit { CurlLoops.stopAll() }
        }

        static func add(_ inbox: CurlInbox) -> Bool {
            state.withLock { state in
                if state.isOver { return false }
                state.process = getpid()
                state.inboxes[ObjectIdentifier(inbox)] = inbox
                return true
            }
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
            for inbox in inboxes { inbox.shutDown() }
            let end = DispatchTime.now() + endTimeout
            for inbox in inboxes { inbox.waitForEnd(until: end) }
        }
    }

    /// Lets another thread cancel sent bodies and release the app's objects, because both may run the app's code.
    package final class LoopThread {
        let inbox: CurlInbox
        private var postponedJobs: [@Sendable () -> Void] = []

        init(_ inbox: CurlInbox) {
            self.inbox = inbox
        }

        package static var current: LoopThread? {
            swallow_loop().map { Unmanaged<LoopThread>.fromOpaque($0).takeUnretainedValue() }
        }

        func begin() {
            swallow_become_loop(Unmanaged.passUnretained(self).toOpaque())
        }

        package func postpone(_ job: @escaping @Sendable () -> Void) {
            postponedJobs.append(job)
        }

        /// Passes the postponed jobs to another thread. This thread must no longer hold the objects that the jobs capture.
        func clear() {
            if postponedJobs.isEmpty { return }
            // The other thread empties the box, so it doesn't matter which thread releases the box last.
            let box = Lock(postponedJobs)
            postponedJobs = []
            DispatchQueue.global(qos: .utility).async {
                for job in box.withLock({ jobs in
                    defer { jobs = [] }
                    return jobs
                }) { job() }
            }
        }

        func end() {
            clear()
            swallow_become_loop(nil)
        }
    }

    /// Starts detached threads. Foundation's `Thread` doesn't report that the system can't create a thread.
    package enum DetachedThread {
        private final class Body: Sendable {
            let run: @Sendable () -> Void

            init(_ run: @escaping @Sendable () -> Void) {
                self.run = run
            }
        }

        package static func start(_ run: @escaping @Sendable () -> Void) throws {
            let body = Unmanaged.passRetained(Body(run))
            var thread = pthread_t()
            let code = pthread_create(
                &thread, nil,
                { context in
                    if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
                    return nil
                }, body.toOpaque())
            guard code == 0 else {
                body.release()
                throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EAGAIN)
            }
            pthread_detach(thread)
        }
    }
#endif
