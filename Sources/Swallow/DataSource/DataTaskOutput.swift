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
        /// The head and the body parts that arrived before a receiver was set.
        var earlyParts: [ResponsePart] = []
        /// Whether a job is scheduled that calls the receiver.
        var isScheduled = false

        mutating func add(_ part: ResponsePart) {
            if queue.isStreamed { queue.add(part) } else if queue.isOpen { earlyParts.append(part) }
        }
    }

    private let state: Lock<State>
    private let run: Runner

    package init(
        run: @escaping Runner = { DispatchQueue.deliveries.async(execute: $0) },
        _ completion: @escaping PartQueue.Completion
    ) {
        self.run = run
        state = Lock(State(queue: PartQueue { completion($0.data, $0.response, $0.error) }))
    }

    /// Whether the task has yet to complete.
    package var isOpen: Bool { state.withLock { $0.queue.isOpen } }

    /// Whether the task delivers the body in parts.
    package var isStreamed: Bool { state.withLock { $0.queue.isStreamed } }

    package func receive(_ part: ResponsePart) { change { $0.add(part) } }

    /// Adds body parts without a call of the receiver, so it may be used under a lock. `deliver()` must follow.
    package func add(_ parts: [ResponsePart]) {
        state.withLock { state in for part in parts { state.add(part) } }
    }

    /// Delivers the body parts that were added.
    package func deliver() { change { _ in } }

    package func receive(_ ending: Ending) {
        change { state in
            var ending = ending
            if ending.error == nil { ending.data = state.earlyParts.body(endingWith: ending.data) }
            state.earlyParts = []
            state.queue.end(with: ending)
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
            state.earlyParts = []
            state.queue.fail(with: URLError(.cancelled))
            return state.calls.cancel()
        }
    }

    func stream(to receiver: @escaping PartQueue.Receiver) -> DataTaskCalls.Call? {
        change(isOwnCall: true) { state in
            guard state.queue.stream(to: receiver) else { return nil }
            for part in state.earlyParts { state.queue.add(part) }
            state.earlyParts = []
            return state.calls.deliverParts()
        }
    }

    /// Returns the call that follows the one that this thread has made to the operation.
    func nextCall() -> DataTaskCalls.Call? { change(isOwnCall: true) { $0.calls.next() } }
}

// MARK: - Calls to the creator

extension DataTaskOutput {
    /// Makes a change, and the calls that are due after it.
    ///
    /// - Parameter isOwnCall: Whether this is inside one of the task's own functions, in which no receiver may be called.
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
            call()
            next = call.isLast ? nil : state.withLock { $0.queue.next() }
        }
    }
}

extension [ResponsePart] {
    /// Returns the complete body, which consists of these body parts and the rest.
    fileprivate func body(endingWith rest: Data?) -> Data? {
        let bytes = compactMap { if case .bytes(let bytes) = $0 { bytes } else { nil } }
        if bytes.isEmpty { return rest }
        if bytes.count == 1, rest?.isEmpty ?? true { return bytes[0] }
        return Data(bytes.joined()) + (rest ?? Data())
    }
}
