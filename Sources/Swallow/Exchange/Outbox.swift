import Dispatch

/// The state of a data task, and its calls to its creator, under one lock.
///
/// It makes the calls as ``DataTask`` promises: those that a change brings about follow outside the lock, and those
/// that must not be made inside one of the data task's own functions are scheduled.
package final class Outbox<State: Sendable>: Sendable {
    /// Runs a delivery on another thread.
    package typealias Runner = @Sendable (@escaping @Sendable () -> Void) -> Void

    private let calls: Lock<OutboxCalls>
    // Not inside the lock's value: changes made from other modules would copy it as a whole.
    // Unsafe: only closures that `calls` runs under its lock touch it.
    private nonisolated(unsafe) var state: State

    /// - Parameter run: runs the deliveries that must not be made inside a function of the task's own.
    package init(
        _ state: State, run: @escaping Runner = { DispatchQueue.deliveries.async(execute: $0) },
        _ completion: @escaping PartQueue.Completion
    ) {
        self.state = state
        let queue = PartQueue { completion($0.data, $0.response, $0.error) }
        calls = Lock(OutboxCalls(queue: queue, run: run))
    }

    /// Sets a closure that is called whenever a full queue of parts has room again.
    package func onRoom(_ action: @escaping @Sendable () -> Void) {
        calls.withLock { $0.onRoom = action }
    }

    /// Makes a change, and the calls that follow from it.
    ///
    /// - Parameter isOwnCall: whether this is inside one of the data task's own functions, such as `resume()`, where no
    ///   receiver of parts may be called.
    package func change<Result>(
        isOwnCall: Bool = false, _ change: (inout State, inout PartQueue) -> Result
    ) -> Result {
        var due = OutboxCalls.Due()
        let result = calls.withLock { calls in
            defer { due = calls.due(isOwnCall: isOwnCall) }
            return change(&state, &calls.queue)
        }
        calls.deliver(due)
        return result
    }

    /// Makes a change from which no call follows.
    package func update<Result>(_ change: (inout State, inout PartQueue) -> Result) -> Result {
        calls.withLock { change(&state, &$0.queue) }
    }

    /// Reads or changes the state alone; no call follows.
    package func withState<Result>(_ body: (inout State) -> Result) -> Result {
        calls.withLock { _ in body(&state) }
    }
}

/// The calls that an outbox has to make.
private struct OutboxCalls: Sendable {
    /// The calls that the outbox makes after it has released its lock.
    struct Due {
        var call: PartQueue.Call?
        /// Called first, if the queue of parts was full and has room again.
        var onRoom: (@Sendable () -> Void)?
        /// Runs the calls that must not be made here.
        var run: Outbox<Void>.Runner?
    }

    var queue: PartQueue
    let run: Outbox<Void>.Runner
    /// Whether a job is scheduled that makes the calls that are due.
    private var isScheduled = false
    var onRoom: (@Sendable () -> Void)?

    init(queue: PartQueue, run: @escaping Outbox<Void>.Runner) {
        (self.queue, self.run) = (queue, run)
    }

    /// Takes the calls that a change has made due.
    mutating func due(isOwnCall: Bool) -> Due {
        var due = due { $0.firstCall(isOwnCall: isOwnCall) }
        if isOwnCall, !isScheduled, queue.isCallDueElsewhere {
            isScheduled = true
            due.run = run
        }
        return due
    }

    /// Takes the calls that the scheduled job makes.
    mutating func dueAsScheduled() -> Due {
        isScheduled = false
        return due { $0.firstCall() }
    }

    mutating func due(_ take: (inout PartQueue) -> PartQueue.Call?) -> Due {
        let wasFull = queue.isFull
        let call = take(&queue)
        return Due(call: call, onRoom: wasFull && !queue.isFull ? onRoom : nil)
    }
}

extension Lock<OutboxCalls> {
    /// Makes the calls that are due, and those that follow.
    fileprivate func deliver(_ first: OutboxCalls.Due) {
        // The job takes the turn only when it runs: a thread that brings a part before then delivers it.
        first.run? { self.deliver(self.withLock { $0.dueAsScheduled() }) }
        var due = first
        while true {
            due.onRoom?()
            guard let call = due.call else { return }
            call()
            if call.isLast { return }
            due = withLock { calls in calls.due { $0.next() } }
        }
    }
}

extension Outbox<Void> {
    /// Makes an outbox without a state.
    package convenience init(_ completion: @escaping PartQueue.Completion) {
        self.init((), completion)
    }
}

extension DispatchQueue {
    /// Runs deliveries that must not be made inside a function of the task's own.
    package static let deliveries = DispatchQueue(label: "Swallow.deliveries", attributes: .concurrent)
}
