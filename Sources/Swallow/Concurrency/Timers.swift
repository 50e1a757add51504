import Dispatch

/// Timers that share one Dispatch source. Their actions run in the ``WorkerPool``.
// Unchecked: Dispatch sources may be used from any thread, and all state that changes is under the lock.
final class Timers: @unchecked Sendable {
    typealias Action = @Sendable () -> Void

    static let shared = Timers()

    private let pool: WorkerPool
    private let schedule = Lock(TimerSchedule())
    private let source: any DispatchSourceTimer

    init(_ pool: WorkerPool = .shared) {
        self.pool = pool
        // An app may block all threads of the global queues, but this queue receives another thread.
        source = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "Swallow.timers"))
        source.setEventHandler { [weak self] in self?.look() }
        source.activate()
    }

    deinit { source.cancel() }

    func schedule(after delay: Duration, _ action: @escaping Action) -> ScheduledWork {
        let (seconds, attoseconds) = min(max(delay, .zero), .century).components
        let nanoseconds = UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
        let moment = DispatchTime.now().uptimeNanoseconds + nanoseconds
        let id = schedule.withLock { schedule in
            let id = schedule.add(action, at: moment)
            if schedule.next == moment { wake(schedule) }
            return id
        }
        return ScheduledWork { [weak self] in
            let action = self?.schedule.withLock { $0.remove(id) }
            withExtendedLifetime(action) {}
        }
    }

    private func look() {
        let expired = schedule.withLock { schedule in
            defer { wake(schedule) }
            return schedule.takeExpired(DispatchTime.now().uptimeNanoseconds)
        }
        for action in expired { pool.runTimer(action) }
    }

    private func wake(_ schedule: TimerSchedule) {
        if let next = schedule.next { source.schedule(deadline: DispatchTime(uptimeNanoseconds: next)) }
    }
}

struct TimerSchedule: Sendable {
    typealias ID = Int

    /// Sorted by moment, and then by the order in which they were added.
    private var entries: [(moment: UInt64, id: ID)] = []
    private var actions: [ID: Timers.Action] = [:]
    private var lastID = 0

    var next: UInt64? { entries.first?.moment }

    var size: Int { entries.count }

    mutating func add(_ action: @escaping Timers.Action, at moment: UInt64) -> ID {
        lastID += 1
        actions[lastID] = action
        // The search begins at the end, because most timers have equal delays.
        let earlier = entries.lastIndex { $0.moment <= moment }
        entries.insert((moment, lastID), at: earlier.map { $0 + 1 } ?? 0)
        return lastID
    }

    mutating func remove(_ id: ID) -> Timers.Action? {
        defer {
            // Most timeouts are removed long before they expire, so their entries would fill the array.
            if entries.count > 64, entries.count > 2 * actions.count {
                entries.removeAll { actions[$0.id] == nil }
            }
        }
        return actions.removeValue(forKey: id)
    }

    mutating func takeExpired(_ now: UInt64) -> [Timers.Action] {
        let rest = entries.firstIndex { $0.moment > now && actions[$0.id] != nil } ?? entries.endIndex
        defer { entries.removeFirst(rest) }
        return entries[..<rest].compactMap { actions.removeValue(forKey: $0.id) }
    }
}
