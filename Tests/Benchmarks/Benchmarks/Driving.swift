import Dispatch
import Swallow
import Synchronization

/// Performs operations, `width` at a time, and returns when all are done. An operation may call `done` on any thread,
/// but not before it returns on its own thread, because the calls would nest.
func perform(
    _ operations: Int, width: Int = 1,
    _ operation: @escaping @Sendable (_ done: @escaping @Sendable () -> Void) -> Void
) {
    let relay = Relay(operations, operation)
    for _ in 0..<width { relay.startNext() }
    relay.finished.wait()
}

/// Starts each operation on the thread that finished an earlier one, so the waiting thread isn't woken in between.
private final class Relay: Sendable {
    let finished = DispatchSemaphore(value: 0)
    private let operation: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let counts: Mutex<(toStart: Int, toFinish: Int)>

    init(_ operations: Int, _ operation: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        self.operation = operation
        counts = Mutex((operations, operations))
    }

    func startNext() {
        let starts = counts.withLock { counts in
            counts.toStart -= 1
            return counts.toStart >= 0
        }
        if starts { operation { self.finishOne() } }
    }

    private func finishOne() {
        let isLast = counts.withLock { counts in
            counts.toFinish -= 1
            return counts.toFinish == 0
        }
        if isLast { finished.signal() } else { startNext() }
    }
}

func wait(for work: @escaping @Sendable () async -> Void) {
    let finished = DispatchSemaphore(value: 0)
    Task.detached {
        await work()
        finished.signal()
    }
    finished.wait()
}
