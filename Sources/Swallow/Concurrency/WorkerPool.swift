import Foundation

#if os(Linux) && canImport(Glibc)
    internal import CurlEngine
#endif

/// The package's own threads, which continue tasks even if an app blocks shared queues or Swift's threads.
final class WorkerPool: Sendable {
    typealias Job = @Sendable () -> Void
    typealias StartThread = @Sendable (@escaping Job) throws -> Void

    fileprivate struct State: Sendable {
        /// The maximum number of threads for jobs. Beyond it, only waiting timer actions start threads.
        let limit: Int
        var jobs = Queue<Job>()
        var timerActions = Queue<Job>()
        var threads = 0
        var idle = 0
        /// Whether a woken or new thread hasn't begun yet. Until then, no further thread is woken or created.
        var isWaking = false
        var isCheckScheduled = false
        var latestStart: UInt64 = 0
    }

    fileprivate enum Step { case wakeThread, makeThread, scheduleCheck, none }

    static let shared = WorkerPool()

    private let state: Lock<State>
    private let wakeUps = DispatchSemaphore(value: 0)
    private let startThread: StartThread
    private let checks = DispatchQueue(label: "Swallow.checks")

    static let width = max(2, ProcessInfo.processInfo.activeProcessorCount)
    fileprivate static let startTimeout: UInt64 = 20_000_000
    fileprivate static let threadsForTimers = 64
    private static let idleTime = DispatchTimeInterval.seconds(5)

    init(limit: Int = 256, startThread: @escaping StartThread = WorkerPool.detachThread) {
        state = Lock(State(limit: max(limit, Self.width)))
        self.startThread = startThread
    }

    func async(_ job: @escaping Job) { perform { $0.jobs.append(job) } }

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

    private func scheduleCheck() {
        checks.asyncAfter(deadline: .now() + .nanoseconds(Int(Self.startTimeout))) {
            let (isThreadNeeded, isCheckNeeded) = self.state.withLock { $0.check() }
            if isThreadNeeded { self.makeThread() }
            if isCheckNeeded { self.scheduleCheck() }
        }
    }

    private func makeThread() {
        do {
            try startThread { self.work() }
        } catch {
            let step = state.withLock { $0.noteStartFailure() }
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

    mutating func check() -> (isThreadNeeded: Bool, isCheckNeeded: Bool) {
        isCheckScheduled = hasJobs
        let isLate = DispatchTime.now().uptimeNanoseconds > latestStart + WorkerPool.startTimeout
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

    mutating func noteStartFailure() -> WorkerPool.Step {
        threads -= 1
        isWaking = false
        if threads == 0 { return .none }
        defer { isCheckScheduled = true }
        return isCheckScheduled ? .none : .scheduleCheck
    }
}
