import Foundation

#if os(Linux) && canImport(Glibc)
    internal import CurlEngine
#endif

/// The threads that continue tasks after the event of a transfer or of a timer.
///
/// The threads belong to this package, so an app that blocks shared queues or Swift's pool delays no transfer and no
/// timeout. There are as many threads as cores. Another thread is added whenever a job has waited for 20 ms while no
/// other job began. So a job that blocks occupies only its own thread.
///
/// If the system refuses a thread, the existing threads run the jobs, and the next check tries again. If there is no
/// thread at all, a global queue runs the jobs.
final class WorkerPool: Sendable {
    typealias Job = @Sendable () -> Void
    /// Runs a closure on a new thread, or throws if the system refuses the thread.
    typealias StartThread = @Sendable (@escaping Job) throws -> Void

    fileprivate struct State: Sendable {
        /// The most threads that run jobs. If all of them block, only timers start more threads.
        let limit: Int
        var jobs = Queue<Job>()
        var timerActions = Queue<Job>()
        /// The number of threads, including requested threads that have yet to begin.
        var threads = 0
        /// The number of waiting threads that haven't been woken.
        var idle = 0
        /// Whether a woken or new thread has yet to begin. If more jobs wait when it begins, this thread wakes the next
        /// one. Many of 64 concurrent transfers complete together, and a signal for each of them would cost a thread
        /// switch.
        var isWaking = false
        var isCheckScheduled = false
        /// The time at which the latest job began, or the latest thread was requested.
        var latestStart: UInt64 = 0
    }

    fileprivate enum Step { case wakeThread, makeThread, scheduleCheck, none }

    static let shared = WorkerPool()

    private let state: Lock<State>
    private let wakeUps = DispatchSemaphore(value: 0)
    private let startThread: StartThread
    /// A serial queue has a thread besides the threads of the global queues.
    private let checks = DispatchQueue(label: "Swallow.checks")

    static let width = max(2, ProcessInfo.processInfo.activeProcessorCount)
    fileprivate static let patience: UInt64 = 20_000_000
    fileprivate static let threadsForTimers = 64
    private static let idleTime = DispatchTimeInterval.seconds(5)

    init(limit: Int = 256, startThread: @escaping StartThread = WorkerPool.detachThread) {
        state = Lock(State(limit: max(limit, Self.width)))
        self.startThread = startThread
    }

    /// Runs a job on one of the threads. Jobs begin in the order of the calls.
    func async(_ job: @escaping Job) { perform { $0.jobs.append(job) } }

    /// Runs a timer's action before all waiting jobs.
    func runTimer(_ action: @escaping Job) { perform { $0.timerActions.append(action) } }

    private func perform(_ add: (inout State) -> Void) {
        perform(
            state.withLock { state in
                add(&state)
                return state.callThread()
            })
    }

    private func perform(_ step: Step) {
        switch step {
        case .wakeThread: wakeUps.signal()
        case .makeThread: makeThread()
        case .scheduleCheck: scheduleCheck()
        case .none: break
        }
    }

    /// Creates another thread if all threads have been busy for too long.
    private func scheduleCheck() {
        checks.asyncAfter(deadline: .now() + .nanoseconds(Int(Self.patience))) {
            let (isThreadNeeded, isCheckNeeded) = self.state.withLock { $0.check() }
            if isThreadNeeded { self.makeThread() }
            if isCheckNeeded { self.scheduleCheck() }
        }
    }

    private func makeThread() {
        do {
            try startThread { self.work() }
        } catch {
            let step = state.withLock { $0.noteRefusal() }
            guard step == .none else { return perform(step) }
            DispatchQueue.global().async {
                while let job = self.state.withLock({ $0.takeJob() }) { job() }
            }
        }
    }

    private func work() {
        Thread.current.name = "Swallow.work"
        pthread_setspecific(Self.mark, UnsafeRawPointer(bitPattern: 1))
        var isBeginning = true
        while true {
            let (job, isOver, step): (Job?, Bool, Step) = state.withLock { state in
                if isBeginning { state.isWaking = false }
                if let job = state.takeJob() {
                    return (job, false, isBeginning && state.hasJobs ? state.callThread() : .none)
                }
                let isOver = state.threads > Self.width
                if isOver { state.threads -= 1 } else { state.idle += 1 }
                return (nil, isOver, .none)
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

extension WorkerPool {
    private static let mark = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    /// Whether the calling thread belongs to a pool.
    static var isCurrent: Bool { pthread_getspecific(mark) != nil }

    static func detachThread(_ run: @escaping Job) throws {
        #if os(Linux) && canImport(Glibc)
            try DetachedThread.start(run)
        #else
            Thread.detachNewThread(run)
        #endif
    }
}

extension WorkerPool.State {
    var hasJobs: Bool { !jobs.isEmpty || !timerActions.isEmpty }

    /// Decides which thread runs a new job, or the remaining jobs.
    mutating func callThread() -> WorkerPool.Step {
        if isWaking { return .none }
        if idle > 0 {
            idle -= 1
            isWaking = true
            return .wakeThread
        }
        if threads < WorkerPool.width {
            requestThread()
            return .makeThread
        }
        defer { isCheckScheduled = true }
        return isCheckScheduled ? .none : .scheduleCheck
    }

    private mutating func requestThread() {
        threads += 1
        isWaking = true
        latestStart = DispatchTime.now().uptimeNanoseconds
    }

    /// Decides whether a scheduled check makes another thread, and whether another check follows.
    mutating func check() -> (isThreadNeeded: Bool, isCheckNeeded: Bool) {
        isCheckScheduled = hasJobs
        let isLate = DispatchTime.now().uptimeNanoseconds > latestStart + WorkerPool.patience
        let limit = timerActions.isEmpty ? limit : limit + WorkerPool.threadsForTimers
        guard hasJobs, isLate, !isWaking, threads < limit else { return (false, hasJobs) }
        requestThread()
        return (true, true)
    }

    mutating func takeJob() -> WorkerPool.Job? {
        guard let job = timerActions.takeFirst() ?? (threads > limit ? nil : jobs.takeFirst()) else {
            return nil
        }
        latestStart = DispatchTime.now().uptimeNanoseconds
        return job
    }

    /// Records that the system refused a thread. Returns `.none` if there is no thread for the jobs.
    mutating func noteRefusal() -> WorkerPool.Step {
        threads -= 1
        isWaking = false
        if threads == 0 { return .none }
        defer { isCheckScheduled = true }
        return isCheckScheduled ? .none : .scheduleCheck
    }
}
