import Foundation

final class ProgressWatch: Sendable {
    static let interval = Duration.milliseconds(100)

    private struct State: Sendable {
        var listeners: [ProgressListener] = []
        var meter = ProgressMeter()
        var nextPoll: ScheduledWork?
        var isPolling = false
        var hasEnded = false
    }

    private let state = Lock(State())

    func add(_ listener: ProgressListener) {
        state.withLock { if !$0.hasEnded { $0.listeners.append(listener) } }
    }

    func start(for task: ServiceTask) {
        let starts = state.withLock { state in
            if state.isPolling || state.hasEnded || state.listeners.isEmpty { return false }
            state.isPolling = true
            return true
        }
        if starts { schedulePoll(of: task) }
    }

    private func schedulePoll(of task: ServiceTask) {
        let poll = task.clock.schedule(after: Self.interval) { [weak self, weak task] in
            guard let self, let task else { return }
            self.poll(task)
        }
        state.withLock { $0.nextPoll.store(poll, if: !$0.hasEnded) }.cancelIfUnneeded()
    }

    private func poll(_ task: ServiceTask) {
        guard let progress = task.transferProgress else { return schedulePoll(of: task) }
        let now = task.now
        let listeners = state.withLock { state in
            _ = state.meter.note(progress, at: now)
            return state.listeners
        }
        for listener in listeners { listener.report(progress) }
        if state.withLock({ !$0.hasEnded }) { schedulePoll(of: task) }
    }

    func snapshot(_ progress: TransferProgress, at time: Date) -> TransferProgress {
        let speed = state.withLock { $0.meter.note(progress, at: time) }
        var progress = progress
        progress.bytesPerSecond = speed
        return progress
    }

    func end() {
        let (poll, listeners) = state.withLock { state in
            state.hasEnded = true
            defer { state.listeners = [] }
            return (state.nextPoll.take(), state.listeners)
        }
        poll?.cancel()
        for listener in listeners { listener.stop() }
    }
}

/// Calls a progress handler on its queue, one call at a time.
final class ProgressListener: Sendable {
    enum Direction: Sendable { case upload, download }
    typealias Handler = @Sendable (TransferProgress) -> Void

    private struct State: Sendable {
        var handler: Handler?
        var last: TransferProgress?
        var isCallPending = false
        var isStopped = false
    }

    let direction: Direction
    /// The main queue, or a serial queue that targets the app's queue, so that the calls stay in order.
    let queue: DispatchQueue
    private let state: Lock<State>

    init(_ direction: Direction, _ queue: DispatchQueue, _ handler: @escaping Handler) {
        self.direction = direction
        self.queue = queue.isMain ? queue : DispatchQueue(label: "progress", target: queue)
        state = Lock(State(handler: handler))
    }

    func report(_ progress: TransferProgress) {
        let isNew = state.withLock { state in
            if state.isStopped || state.isCallPending { return false }
            if let last = state.last, counts(last) == counts(progress) { return false }
            if state.last == nil, counts(progress).0 == 0 { return false }
            state.last = progress
            state.isCallPending = true
            return true
        }
        guard isNew else { return }
        queue.async {
            let handler = self.state.withLock { state in
                state.isCallPending = false
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

    func finish(_ progress: TransferProgress) {
        let handler = state.withLock { state in
            state.isStopped = true
            return state.handler.take()
        }
        handler?(progress)
    }
}

struct ProgressMeter: Sendable {
    private var samples: [(time: Date, bytes: Int64)] = []

    mutating func note(_ progress: TransferProgress, at time: Date) -> Double? {
        let bytes = progress.sent &+ progress.received &- progress.offset
        // The clock may have been set back, or a new transfer may have begun.
        if let last = samples.last, time < last.time || bytes < last.bytes { samples = [] }
        if let last = samples.last {
            samples.removeAll { time.timeIntervalSince($0.time) > 5 && $0.time != last.time }
        }
        if samples.count < 2 || time.timeIntervalSince(samples[samples.count - 2].time) >= 0.05 {
            samples.append((time, bytes))
        } else {
            samples[samples.count - 1] = (time, bytes)
        }
        guard let first = samples.first else { return nil }
        let duration = time.timeIntervalSince(first.time)
        return duration > 0 ? Double(bytes &- first.bytes) / duration : nil
    }
}
