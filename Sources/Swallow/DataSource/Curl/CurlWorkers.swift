#if os(Linux) && canImport(Glibc)
    import Foundation

    /// The threads on which tasks go on when the loop is done with them, and completions are called.
    ///
    /// They are the package's own: what an app does with the queues that it shares with everybody keeps no transfer
    /// waiting. There are as many as cores, and one more whenever something has waited for 20 ms while nothing was
    /// begun. So a completion that blocks keeps its own thread only.
    final class CurlWorkers: Sendable {
        typealias Job = @Sendable () -> Void

        private struct State: Sendable {
            /// Those before `next` were taken.
            var jobs: [Job?] = []
            var next = 0
            var threads = 0
            /// Threads that wait and that nobody has woken.
            var idle = 0
            /// When a job was begun, or a thread for one made.
            var latestStart: UInt64 = 0
            var isClosed = false

            var isEmpty: Bool { next == jobs.count }

            mutating func takeJob() -> Job? {
                if isEmpty {
                    jobs.removeAll(keepingCapacity: jobs.count < 1024)
                    next = 0
                    return nil
                }
                // Where there is always one more, what was taken would pile up.
                if next > 1024, next > jobs.count / 2 {
                    jobs.removeFirst(next)
                    next = 0
                }
                defer { next += 1 }
                return jobs[next].take()
            }
        }

        private enum Step { case wake, make, leave }

        private let state = Lock(State())
        private let wakeUps = DispatchSemaphore(value: 0)
        private let startLoop: @Sendable () -> Void

        private static let width = max(2, ProcessInfo.processInfo.activeProcessorCount)
        private static let limit = 256
        private static let patience: UInt64 = 20_000_000
        private static let idleTime = DispatchTimeInterval.seconds(5)

        /// - Parameter startLoop: wakes the loop, which is to call `help` before long.
        init(startLoop: @escaping @Sendable () -> Void) {
            self.startLoop = startLoop
        }

        /// Runs a job on one of the threads; jobs begin in the order in which they come.
        func async(_ job: @escaping Job) {
            let step: Step = state.withLock { state in
                state.jobs.append(job)
                if state.idle > 0 {
                    state.idle -= 1
                    return .wake
                }
                guard state.threads < Self.width else { return .leave }
                state.threads += 1
                return .make
            }
            switch step {
            case .wake: wakeUps.signal()
            case .make: makeThread()
            case .leave: startLoop()
            }
        }

        /// Makes another thread where all of them have been busy for too long; says whether jobs wait.
        func help(_ now: UInt64) -> Bool {
            let (isBehind, isStuck) = state.withLock { state in
                let isBehind = !state.isEmpty
                let isStuck =
                    isBehind && state.idle == 0 && state.threads < Self.limit
                    && now > state.latestStart + Self.patience
                if isStuck {
                    state.threads += 1
                    state.latestStart = now
                }
                return (isBehind, isStuck)
            }
            if isStuck { makeThread() }
            return isBehind
        }

        /// Lets the threads end when nothing is left to do.
        func close() {
            let idle = state.withLock { state in
                state.isClosed = true
                defer { state.idle = 0 }
                return state.idle
            }
            for _ in 0..<idle { wakeUps.signal() }
        }

        private func makeThread() {
            let thread = Thread { self.work() }
            thread.name = "Swallow.work"
            thread.start()
        }

        private func work() {
            while true {
                let (job, isOver): (Job?, Bool) = state.withLock { state in
                    if let job = state.takeJob() {
                        state.latestStart = CurlClock.now
                        return (job, false)
                    }
                    if state.isClosed || state.threads > Self.width {
                        state.threads -= 1
                        return (nil, true)
                    }
                    state.idle += 1
                    return (nil, false)
                }
                if isOver { return }
                if let job { job() } else if !wait() { return }
            }
        }

        /// Waits for a job; false where none came for so long that the thread is to end.
        private func wait() -> Bool {
            if wakeUps.wait(timeout: .now() + Self.idleTime) == .success { return true }
            let isOver = state.withLock { state in
                guard state.idle > 0 else { return false }
                state.idle -= 1
                state.threads -= 1
                return true
            }
            // Somebody has just counted on this thread.
            if !isOver { wakeUps.wait() }
            return !isOver
        }
    }
#endif
