/// The tasks of a data source that are under way, and whether it takes new ones.
final class OpenTasks: Sendable {
    private struct State: Sendable {
        var tasks: [ObjectIdentifier: RelayDataTask] = [:]
        var isClosed = false
        /// Those that wait until no task is left.
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Lock(State())

    /// Takes a task that begins; says whether it may.
    func add(_ task: RelayDataTask) -> Bool {
        state.withLock { state in
            if !state.isClosed { state.tasks[ObjectIdentifier(task)] = task }
            return !state.isClosed
        }
    }

    /// Takes the end of a task.
    func remove(_ task: RelayDataTask) {
        let waiters = state.withLock { state in
            state.tasks[ObjectIdentifier(task)] = nil
            defer { if state.tasks.isEmpty { state.waiters = [] } }
            return state.tasks.isEmpty ? state.waiters : []
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Takes no new tasks from here on, and waits for the end of the others; cancels those that are left after a time, or
    /// when the Swift task that waits is cancelled.
    func close(within limit: Duration) async {
        state.withLock { $0.isClosed = true }
        let deadline = SystemClock.system.schedule(after: limit) { self.cancelAll() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if !state.tasks.isEmpty { state.waiters.append(continuation) }
                    return state.tasks.isEmpty
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            cancelAll()
        }
        deadline.cancel()
    }

    private func cancelAll() {
        let tasks = state.withLock { $0.tasks.values.map { $0 } }
        for task in tasks { task.cancel() }
    }
}
