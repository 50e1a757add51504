import Dispatch

/// The state of a data task that adapts another or plays a test's, and its calls to its creator, under one lock.
///
/// It keeps the contract of ``DataTask`` for its owner: a change returns once the calls that it brings about are made, without
/// the lock, or scheduled where they must not be made inside a function of the task's own.
package final class Outbox<State: Sendable>: Sendable {
    private struct Contents: Sendable {
        var state: State
        var queue: PartQueue
        var onRoom: (@Sendable () -> Void)?

        /// A call that the queue gives, and the closure to call where parts were too many and no longer are.
        mutating func call(_ take: (inout PartQueue) -> PartQueue.Call?) -> (
            PartQueue.Call?, (@Sendable () -> Void)?
        ) {
            let wasFull = queue.isFull
            let call = take(&queue)
            return (call, wasFull && !queue.isFull ? onRoom : nil)
        }
    }

    /// Runs deliveries, on a thread of its own.
    package typealias Runner = @Sendable (@escaping @Sendable () -> Void) -> Void

    private let contents: Lock<Contents>
    private let run: Runner

    package init(_ state: State, _ completion: @escaping PartQueue.Completion) {
        contents = Lock(
            Contents(state: state, queue: PartQueue { completion($0.data, $0.response, $0.error) }))
        run = { DispatchQueue.deliveries.async(execute: $0) }
    }

    /// Makes one whose owner is the carrier of a hop, which takes the end.
    ///
    /// - Parameter run: runs the deliveries that must not be made inside a function of the task's own.
    init(
        _ state: State, _ hop: Hop, run: @escaping Runner = { DispatchQueue.deliveries.async(execute: $0) }
    ) {
        contents = Lock(Contents(state: state, queue: PartQueue(hop.receive)))
        self.run = run
    }

    /// Takes a closure that is called each time that parts were too many and no longer are.
    package func onRoom(_ action: @escaping @Sendable () -> Void) {
        contents.withLock { $0.onRoom = action }
    }

    /// Makes a change, and the calls that follow from it.
    ///
    /// - Parameter isOwnCall: whether this is inside a function of the task's own, where no receiver of parts is called.
    package func change<Result>(
        isOwnCall: Bool = false, _ change: (inout State, inout PartQueue) -> Result
    ) -> Result {
        let (result, call, isDueElsewhere) = contents.withLock { contents in
            let result = change(&contents.state, &contents.queue)
            let call = contents.call { $0.firstCall(isOwnCall: isOwnCall) }
            return (result, call, isOwnCall && contents.queue.isCallDueElsewhere)
        }
        deliver(call)
        if isDueElsewhere { deliverSoon() }
        return result
    }

    /// Makes a change from which no call follows. Looking for one takes 2 000 instructions, which a GET over libcurl would do four
    /// times more.
    func update<Result>(_ change: (inout State, inout PartQueue) -> Result) -> Result {
        contents.withLock { change(&$0.state, &$0.queue) }
    }

    /// Reads the state.
    package func read<Result>(_ body: (State, PartQueue) -> Result) -> Result {
        contents.withLock { body($0.state, $0.queue) }
    }

    /// The turn isn't taken before: who brings a part until then delivers it, so that a busy queue piles nothing up.
    private func deliverSoon() {
        run {
            self.deliver(self.contents.withLock { contents in contents.call { $0.firstCall() } })
        }
    }

    private func deliver(_ first: (PartQueue.Call?, (@Sendable () -> Void)?)) {
        var (next, onRoom) = first
        while true {
            onRoom?()
            guard let call = next else { return }
            call()
            if call.isLast { return }
            (next, onRoom) = contents.withLock { contents in contents.call { $0.next() } }
        }
    }
}

extension Outbox<Void> {
    /// One whose owner has no state of its own.
    package convenience init(_ completion: @escaping PartQueue.Completion) {
        self.init((), completion)
    }
}

extension DispatchQueue {
    /// Where parts are delivered that waited for a call of a task's own functions to return.
    package static let deliveries = DispatchQueue(label: "Swallow.deliveries", attributes: .concurrent)
}
