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

    private struct Entry: Sendable {
        let moment: UInt64
        let id: ID

        func precedes(_ other: Entry) -> Bool { (moment, id) < (other.moment, other.id) }
    }

    private var heap: [Entry] = []
    private var actions: [ID: Timers.Action] = [:]
    private var lastID = 0

    var next: UInt64? { heap.first?.moment }

    var size: Int { heap.count }

    mutating func add(_ action: @escaping Timers.Action, at moment: UInt64) -> ID {
        lastID += 1
        actions[lastID] = action
        heap.append(Entry(moment: moment, id: lastID))
        rise(from: heap.count - 1)
        return lastID
    }

    mutating func remove(_ id: ID) -> Timers.Action? {
        defer {
            // Most timeouts are removed long before they expire, so their entries would fill the heap.
            if heap.count > 64, heap.count > 2 * actions.count { compact() }
        }
        return actions.removeValue(forKey: id)
    }

    mutating func takeExpired(_ now: UInt64) -> [Timers.Action] {
        var expired: [Timers.Action] = []
        while let first = heap.first, first.moment <= now || actions[first.id] == nil {
            if let action = actions.removeValue(forKey: first.id) { expired.append(action) }
            removeFirst()
        }
        return expired
    }

    private mutating func compact() {
        heap = heap.filter { actions[$0.id] != nil }.sorted { $0.precedes($1) }
    }

    private mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        sink()
    }

    private mutating func rise(from index: Int) {
        var index = index
        while index > 0, heap[index].precedes(heap[(index - 1) / 2]) {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private mutating func sink() {
        var index = 0
        while true {
            var first = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < heap.count && heap[child].precedes(heap[first]) { first = child }
            if first == index { return }
            heap.swapAt(index, first)
            index = first
        }
    }
}
