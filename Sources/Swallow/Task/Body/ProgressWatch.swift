import Dispatch
import Foundation

/// Polls a task's progress while it has listeners.
final class ProgressWatch: Sendable {
    /// The least time between two calls of a handler.
    static let interval = Duration.milliseconds(100)

    private struct State: Sendable {
        var listeners: [ProgressListener] = []
        var meter = ProgressMeter()
        /// The next poll, scheduled.
        var look: ScheduledWork?
        var isLooking = false
        var hasEnded = false
        var final: TransferProgress?
    }

    private let state = Lock(State())

    /// The data task's counts at its end.
    var final: TransferProgress? { state.withLock { $0.final } }

    func noteFinal(_ progress: TransferProgress) { state.withLock { $0.final = progress } }

    /// Adds a listener; `start(for:)` starts the polling.
    func add(_ listener: ProgressListener) {
        state.withLock { if !$0.hasEnded { $0.listeners.append(listener) } }
    }

    /// Polls until the task has ended, if there is a listener.
    func start(for task: ServiceTask) {
        let starts = state.withLock { state in
            if state.isLooking || state.hasEnded || state.listeners.isEmpty { return false }
            state.isLooking = true
            return true
        }
        if starts { lookLater(task) }
    }

    private func lookLater(_ task: ServiceTask) {
        let look = task.clock.schedule(after: Self.interval) { [weak self, weak task] in
            guard let self, let task else { return }
            self.look(at: task)
        }
        state.withLock { $0.look.keep(look, if: !$0.hasEnded) }.cancelIfUnneeded()
    }

    private func look(at task: ServiceTask) {
        guard let progress = task.currentTransfer else { return lookLater(task) }
        let now = task.now
        let listeners = state.withLock { state in
            _ = state.meter.note(progress, at: now)
            return state.listeners
        }
        for listener in listeners { listener.report(progress) }
        if state.withLock({ !$0.hasEnded }) { lookLater(task) }
    }

    /// Returns a progress with the current speed.
    func snapshot(_ progress: TransferProgress, at time: Date) -> TransferProgress {
        let speed = state.withLock { $0.meter.note(progress, at: time) }
        var progress = progress
        progress.bytesPerSecond = speed
        return progress
    }

    /// Ends the polling. After a success, the handler chain makes the listeners' last call.
    func end() {
        let (look, listeners) = state.withLock { state in
            state.hasEnded = true
            defer { state.listeners = [] }
            return (state.look.take(), state.listeners)
        }
        look?.cancel()
        for listener in listeners { listener.stop() }
    }
}

/// Calls a progress handler on its queue, one call at a time, and only when the counts have changed.
final class ProgressListener: Sendable {
    enum Direction: Sendable { case upload, download }
    typealias Handler = @Sendable (TransferProgress) -> Void

    private struct State: Sendable {
        var handler: Handler?
        var last: TransferProgress?
        var isOnItsWay = false
        var isStopped = false
    }

    let direction: Direction
    /// A serial queue over the handler's, so that calls on a concurrent queue don't overtake each other; or the main
    /// queue.
    let queue: DispatchQueue
    private let state: Lock<State>

    init(_ direction: Direction, _ queue: DispatchQueue, _ handler: @escaping Handler) {
        self.direction = direction
        self.queue = queue.isMain ? queue : DispatchQueue(label: "progress", target: queue)
        state = Lock(State(handler: handler))
    }

    /// Reports a progress, unless it brings nothing new or a call is pending.
    func report(_ progress: TransferProgress) {
        let isNew = state.withLock { state in
            if state.isStopped || state.isOnItsWay { return false }
            if let last = state.last, counts(last) == counts(progress) { return false }
            if state.last == nil, counts(progress).0 == 0 { return false }
            state.last = progress
            state.isOnItsWay = true
            return true
        }
        guard isNew else { return }
        queue.async {
            let handler = self.state.withLock { state in
                state.isOnItsWay = false
                return state.isStopped ? nil : state.handler
            }
            handler?(progress)
        }
    }

    private func counts(_ progress: TransferProgress) -> (Int64, Int64?) {
        switch direction {
        case .upload: (progress.sent, progress.expectedToSend)
        case .download: (progress.received, progress.expectedToReceive)
        }
    }

    func stop() { state.withLock { $0.isStopped = true } }

    /// Calls the handler with the final progress. The handler chain calls this on the handler's queue.
    func finish(_ progress: TransferProgress) {
        let handler = state.withLock { state in
            state.isStopped = true
            return state.handler.take()
        }
        handler?(progress)
    }
}
