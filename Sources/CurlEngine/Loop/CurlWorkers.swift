#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
    import Foundation
    import SwallowLock

    /// The threads that continue tasks after the event loop, and that call completions.
    ///
    /// The threads belong to this package, so an app's work on shared queues delays no transfer. There are as many
    /// threads as cores. Another thread is added whenever a job has waited for 20 ms while no other job began. So a
    /// completion that blocks occupies only its own thread.
    ///
    /// If the system refuses a thread, the existing threads run the jobs, and `help` tries again. If there is no thread
    /// at all, a global queue runs the jobs.
    package final class CurlWorkers: Sendable {
        package typealias Job = @Sendable () -> Void

        /// Whether the calling thread is a worker thread.
        package static var isCurrent: Bool { swallow_is_worker() }

        private struct State: Sendable {
            /// The jobs before `next` have been taken.
            var jobs: [Job?] = []
            var next = 0
            var threads = 0
            /// The number of waiting threads that haven't been woken.
            var idle = 0
            /// Whether a woken or new thread has yet to begin. If more jobs wait when it begins, this thread wakes the
            /// next one. Many of 64 concurrent transfers complete together, and a signal for each of them would cost a
            /// thread switch.
            var isWaking = false
            /// The number of requested threads that have yet to begin. The system may fail to create them.
            var making = 0
            /// Whether the loop calls `help` in each of its passes.
            var isLoopHelping = false
            /// The time at which the latest job began, or the latest thread was requested.
            var latestStart: UInt64 = 0
            var isClosed = false

            var isEmpty: Bool { next == jobs.count }

            /// Decides which thread runs a new job, or the remaining jobs.
            mutating func callThread() -> Step {
                if isWaking { return .none }
                if idle > 0 {
                    idle -= 1
                    isWaking = true
                    return .wake
                }
                guard threads + making < CurlWorkers.width else {
                    defer { isLoopHelping = true }
                    return isLoopHelping ? .none : .callLoop
                }
                // The loop calls `help` until the thread has begun, because the system may fail to create the thread.
                isLoopHelping = true
                make(CurlClock.now)
                return .make
            }

            mutating func make(_ now: UInt64) {
                making += 1
                isWaking = true
                latestStart = now
            }

            /// Decides how to continue if jobs have waited for longer than `patience`, or if a woken thread hasn't
            /// begun.
            mutating func help(_ now: UInt64) -> (isBehind: Bool, step: Step) {
                isLoopHelping = !isEmpty || isWaking
                guard isLoopHelping, now > latestStart + CurlWorkers.patience else {
                    return (isLoopHelping, .none)
                }
                // The woken or new thread hasn't begun.
                (isWaking, making) = (false, 0)
                isLoopHelping = !isEmpty
                if isEmpty || idle > 0 { return (!isEmpty, isEmpty ? .none : callThread()) }
                guard threads < CurlWorkers.limit else { return (true, .none) }
                make(now)
                return (true, .make)
            }

            mutating func takeJob() -> Job? {
                if isEmpty {
                    jobs.removeAll(keepingCapacity: jobs.count < 1024)
                    next = 0
                    return nil
                }
                // In a queue that is never empty, the array would otherwise grow without limit.
                if next > 1024, next > jobs.count / 2 {
                    jobs.removeFirst(next)
                    next = 0
                }
                latestStart = CurlClock.now
                defer { next += 1 }
                return jobs[next].take()
            }

            /// Records that the system refused a thread. Returns whether there is no thread for the jobs.
            mutating func noteRefusal() -> Bool {
                (isWaking, making) = (false, max(0, making - 1))
                return threads + making == 0
            }
        }

        private enum Step { case wake, make, callLoop, none }

        private let state = Lock(State())
        private let wakeUps = DispatchSemaphore(value: 0)
        private let callLoop: @Sendable () -> Void
        private let startThread: EngineLoop.StartThread

        private static let width = max(2, ProcessInfo.processInfo.activeProcessorCount)
        private static let limit = 256
        private static let patience: UInt64 = 20_000_000
        private static let idleTime = DispatchTimeInterval.seconds(5)

        /// - Parameter callLoop: A closure that makes the loop call `help` in each pass, at least every 20 ms, until no
        ///   job waits.
        init(
            callLoop: @escaping @Sendable () -> Void,
            startThread: @escaping EngineLoop.StartThread = DetachedThread.start
        ) {
            self.callLoop = callLoop
            self.startThread = startThread
        }

        /// Runs a job on one of the threads. Jobs begin in the order of the calls.
        func async(_ job: @escaping Job) {
            let step = state.withLock { state in
                state.jobs.append(job)
                return state.callThread()
            }
            perform(step)
        }

        private func perform(_ step: Step) {
            switch step {
            case .wake: wakeUps.signal()
            case .make:
                makeThread()
                callLoop()
            case .callLoop: callLoop()
            case .none: break
            }
        }

        /// Creates another thread if all threads have been busy for too long. Returns whether jobs wait.
        func help(_ now: UInt64) -> Bool {
            let (isBehind, step) = state.withLock { $0.help(now) }
            switch step {
            case .make: makeThread()
            default: perform(step)
            }
            return isBehind
        }

        /// Lets the threads end after the last job.
        func close() {
            let idle = state.withLock { state in
                state.isClosed = true
                defer { state.idle = 0 }
                return state.idle
            }
            for _ in 0..<idle { wakeUps.signal() }
        }

        private func makeThread() {
            do {
                try startThread { self.work() }
            } catch {
                guard state.withLock({ $0.noteRefusal() }) else { return }
                DispatchQueue.global().async {
                    while let job = self.state.withLock({ $0.takeJob() }) { job() }
                }
            }
        }

        private func work() {
            swallow_become_worker()
            Thread.current.name = "Swallow.work"
            state.withLock { state in
                state.threads += 1
                state.making = max(0, state.making - 1)
            }
            var isBeginning = true
            while true {
                let (job, isOver, step): (Job?, Bool, Step) = state.withLock { state in
                    if isBeginning { state.isWaking = false }
                    if let job = state.takeJob() {
                        let hasMore = isBeginning && !state.isEmpty
                        return (job, false, hasMore ? state.callThread() : .none)
                    }
                    if state.isClosed || state.threads > Self.width {
                        state.threads -= 1
                        return (nil, true, .none)
                    }
                    state.idle += 1
                    return (nil, false, .none)
                }
                perform(step)
                if isOver { return }
                isBeginning = job == nil
                if let job { job() } else if !wait() { return }
            }
        }

        /// Waits for a job. Returns `false` if no job arrived within `idleTime`, so that the thread has to end.
        private func wait() -> Bool {
            if wakeUps.wait(timeout: .now() + Self.idleTime) == .success { return true }
            let isOver = state.withLock { state in
                guard state.idle > 0 else { return false }
                state.idle -= 1
                state.threads -= 1
                return true
            }
            // Another thread has just decided to wake this thread, so its signal arrives soon.
            if !isOver { wakeUps.wait() }
            return !isOver
        }
    }
#endif
