import Dispatch

/// The process's timers. They share one Dispatch source, which fires for the earliest timer.
///
/// The timers have their own threads, because Swift's pool has only one thread for each core, and an app that blocks
/// these threads must not delay timeouts. If an action blocks, the actions that wait behind it run on another thread.
// Unchecked: Dispatch sources may be used from any thread, and all state that changes is under the lock.
final class Timers: @unchecked Sendable {
    typealias Action = @Sendable () -> Void

    private struct State: Sendable {
        var schedule = TimerSchedule()
        /// The due actions that haven't started, in reverse order.
        var due: [Action] = []
        /// The number of threads that run actions.
        var runners = 0
        /// The number of actions that have started.
        var begun = 0
        /// The number of actions that had started when `look()` last ran.
        var begunAtLook = 0
    }

    static let shared = Timers()

    /// The maximum number of threads that run actions. If all of them block, due actions wait.
    private static let limit = 64
    /// If no action has started for this long, the waiting actions run on another thread.
    private static let patience = DispatchTimeInterval.milliseconds(10)

    private let state = Lock(State())
    private let source: any DispatchSourceTimer

    init() {
        // A serial queue has a thread besides the threads of the global queues.
        source = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "Swallow.timers"))
        source.setEventHandler { [weak self] in self?.look() }
        source.activate()
    }

    deinit { source.cancel() }

    /// - Parameter delay: The delay. More than a hundred years is shortened to a hundred years.
    func schedule(after delay: Duration, _ action: @escaping Action) -> ScheduledWork {
        let (seconds, attoseconds) = min(max(delay, .zero), .century).components
        let nanoseconds = UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
        let moment = DispatchTime.now().uptimeNanoseconds + nanoseconds
        let id = state.withLock { state in
            let id = state.schedule.add(action, at: moment)
            if state.schedule.next == moment { wake(state) }
            return id
        }
        return ScheduledWork { [weak self] in
            // The action is released outside the lock.
            let action = self?.state.withLock { $0.schedule.remove(id) }
            withExtendedLifetime(action) {}
        }
    }

    /// Starts a thread for the due actions if one is needed, and sets the time of the next call.
    private func look() {
        let isWanted = state.withLock { state in
            let isStuck = !state.due.isEmpty && state.begun == state.begunAtLook
            state.begunAtLook = state.begun
            let due = state.schedule.takeDue(DispatchTime.now().uptimeNanoseconds)
            state.due.insert(contentsOf: due.reversed(), at: 0)
            let isWanted = !state.due.isEmpty && (state.runners == 0 || isStuck && state.runners < Self.limit)
            if isWanted { state.runners += 1 }
            wake(state)
            return isWanted
        }
        if isWanted { DispatchQueue(label: "Swallow.timer").async { self.run() } }
    }

    /// Sets the source to the time of the next call of `look()`.
    private func wake(_ state: State) {
        let look = state.due.isEmpty ? nil : DispatchTime.now() + Self.patience
        let next = state.schedule.next.map { DispatchTime(uptimeNanoseconds: $0) }
        if let moment = [look, next].compactMap({ $0 }).min() { source.schedule(deadline: moment) }
    }

    private func run() {
        while let action = nextAction() { action() }
    }

    private func nextAction() -> Action? {
        state.withLock { state in
            guard let action = state.due.popLast() else {
                state.runners -= 1
                return nil
            }
            state.begun += 1
            return action
        }
    }
}

/// A heap of actions, ordered by time and then by the order in which they were added.
struct TimerSchedule: Sendable {
    /// Identifies an action that can be removed.
    typealias ID = Int

    private struct Entry: Sendable {
        let moment: UInt64
        let id: ID

        func precedes(_ other: Entry) -> Bool { (moment, id) < (other.moment, other.id) }
    }

    private var heap: [Entry] = []
    /// The actions that weren't removed.
    private var actions: [ID: Timers.Action] = [:]
    private var lastID = 0

    /// The earliest time in the heap. Its action may have been removed.
    var next: UInt64? { heap.first?.moment }

    /// The number of entries, including entries of removed actions.
    var size: Int { heap.count }

    mutating func add(_ action: @escaping Timers.Action, at moment: UInt64) -> ID {
        lastID += 1
        actions[lastID] = action
        heap.append(Entry(moment: moment, id: lastID))
        rise(from: heap.count - 1)
        return lastID
    }

    /// - Returns: The action, to be released by the caller.
    mutating func remove(_ id: ID) -> Timers.Action? {
        defer {
            // Most timeouts are removed long before they are due.
            if heap.count > 64, heap.count > 2 * actions.count { compact() }
        }
        return actions.removeValue(forKey: id)
    }

    /// Removes and returns the actions that are due, in order.
    mutating func takeDue(_ now: UInt64) -> [Timers.Action] {
        var due: [Timers.Action] = []
        while let first = heap.first, first.moment <= now || actions[first.id] == nil {
            if let action = actions.removeValue(forKey: first.id) { due.append(action) }
            removeFirst()
        }
        return due
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
