import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Receives the response of an operation, and delivers it to the code that created the ``ManagedDataTask``.
///
/// It keeps the contract of ``DataTask``. An operation may deliver body parts and an ending from any thread, whether or
/// not the task streams, is suspended, or has completed.
package final class DataTaskOutput: ResponseReceiver {
    /// Runs a closure on another thread.
    package typealias Runner = @Sendable (@escaping @Sendable () -> Void) -> Void

    private struct State: Sendable {
        var queue: PartQueue
        /// The calls to the operation.
        var calls = DataTaskCalls()
        /// Whether a job is scheduled that calls the receiver.
        var isScheduled = false
        var onRoom: @Sendable () -> Void = {}
    }

    private let state: Lock<State>
    private let run: Runner

    package init(
        run: @escaping Runner = { DispatchQueue.deliveries.async(execute: $0) },
        _ completion: @escaping PartQueue.Completion
    ) {
        self.run = run
        state = Lock(State(queue: PartQueue(completion)))
    }

    /// Whether the task has yet to complete.
    package var isOpen: Bool { state.withLock { $0.queue.isOpen } }

    /// Whether the task delivers the body in parts.
    package var isStreamed: Bool { state.withLock { $0.queue.isStreamed } }

    /// Whether the operation should pause, because many bytes wait for the receiver.
    var isFull: Bool { state.withLock { $0.queue.isFull } }

    /// Sets a closure that is called when a full output has room again.
    func onRoom(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.onRoom = action } }

    package func receive(_ part: ResponsePart) { change { $0.queue.add(part) } }

    /// Adds body parts without a call of the receiver, so it may be used under a lock. `deliver()` must follow.
    package func add(_ parts: [ResponsePart]) {
        state.withLock { state in for part in parts { state.queue.add(part) } }
    }

    /// Delivers the body parts that were added.
    ///
    /// - Parameter onOtherThread: Whether the receiver must not be called on this thread.
    package func deliver(onOtherThread: Bool = false) { change(isOwnCall: onOtherThread) { _ in } }

    package func receive(_ ending: Ending) { end { $0.end(with: ending) } }

    /// Fails the task at once, suspended or not.
    func fail(with error: any Error) { end { $0.fail(with: error) } }

    private func end(_ endQueue: (inout PartQueue) -> Void) {
        change { state in
            endQueue(&state.queue)
            state.calls.end()
        }
    }
}

// MARK: - The functions of the task

extension DataTaskOutput {
    func resume() -> DataTaskCalls.Call? {
        change(isOwnCall: true) { state in
            state.queue.resume()
            return state.calls.resume()
        }
    }

    func suspend() -> DataTaskCalls.Call? {
        change(isOwnCall: true) { state in
            state.queue.suspend()
            return state.calls.suspend()
        }
    }

    func cancel() -> DataTaskCalls.Call? {
        change(isOwnCall: true) { state in
            state.queue.fail(with: URLError(.cancelled))
            return state.calls.cancel()
        }
    }

    func stream(to receiver: @escaping PartQueue.Receiver) -> DataTaskCalls.Call? {
        change(isOwnCall: true) { state in
            state.queue.stream(to: receiver) ? state.calls.deliverParts() : nil
        }
    }

    /// Returns the call that follows the one that this thread has made to the operation.
    func nextCall() -> DataTaskCalls.Call? { change(isOwnCall: true) { $0.calls.next() } }
}

// MARK: - Calls to the creator

extension DataTaskOutput {
    /// Makes a change, and the calls that are due after it.
    ///
    /// - Parameter isOwnCall: Whether this is inside one of the task's own functions, or on another thread on which no receiver
    ///   may be called.
    private func change<Result>(
        isOwnCall: Bool = false, _ change: (inout State) -> Result
    ) -> Result {
        let (result, call, schedules) = state.withLock { state in
            let result = change(&state)
            // The operation may deliver inside a function that the task is calling.
            let isOwnCall = isOwnCall || state.calls.isCalling
            let call = state.queue.firstCall(isOwnCall: isOwnCall)
            let schedules = isOwnCall && !state.isScheduled && state.queue.isCallDueElsewhere
            if schedules { state.isScheduled = true }
            return (result, call, schedules)
        }
        if schedules { run { self.deliverScheduled() } }
        make(call)
        return result
    }

    private func deliverScheduled() {
        make(
            state.withLock { state in
                state.isScheduled = false
                return state.queue.firstCall()
            })
    }

    private func make(_ first: PartQueue.Call?) {
        var next = first
        while let call = next {
            switch call {
            case .part(let part, let receiver, let hasRoom):
                if hasRoom { state.withLock { $0.onRoom }() }
                receiver(part)
            case .end(let end): end()
            }
            next = state.withLock { $0.queue.next() }
        }
    }
}

extension DispatchQueue {
    /// Runs deliveries that must not be made inside one of the task's own functions.
    package static let deliveries = DispatchQueue(label: "Swallow.deliveries", attributes: .concurrent)
}
