import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Delivers an operation's response to the creator of a ``ManagedDataTask``. Operations may deliver at any time.
package final class DataTaskOutput: ResponseReceiver {
    package typealias Runner = @Sendable (@escaping @Sendable () -> Void) -> Void

    private struct State: Sendable {
        var queue: PartQueue
        var calls = TransferCalls()
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

    package var isOpen: Bool { state.withLock { $0.queue.isOpen } }

    package var isStreamed: Bool { state.withLock { $0.queue.isStreamed } }

    var isFull: Bool { state.withLock { $0.queue.isFull } }

    func onRoom(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.onRoom = action } }

    package func receive(_ part: ResponsePart) { change { $0.queue.add(part) } }

    /// Doesn't call the receiver, so it may be called under a lock. `deliver()` must follow.
    package func add(_ parts: [ResponsePart]) {
        state.withLock { state in for part in parts { state.queue.add(part) } }
    }

    /// Pass `onOtherThread` if the receiver must not be called on this thread.
    package func deliver(onOtherThread: Bool = false) { change(isOwnCall: onOtherThread) { _ in } }

    package func receive(_ result: DataTaskResult) { end { $0.end(with: result) } }

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
    func resume() -> TransferCalls.Call? {
        change(isOwnCall: true) { state in
            state.queue.resume()
            return state.calls.resume()
        }
    }

    func suspend() -> TransferCalls.Call? {
        change(isOwnCall: true) { state in
            state.queue.suspend()
            return state.calls.suspend()
        }
    }

    func cancel() -> TransferCalls.Call? {
        change(isOwnCall: true) { state in
            state.queue.fail(with: URLError(.cancelled))
            return state.calls.cancel()
        }
    }

    func stream(to receiver: @escaping PartQueue.Receiver) -> TransferCalls.Call? {
        change(isOwnCall: true) { state in
            state.queue.stream(to: receiver) ? state.calls.deliverParts() : nil
        }
    }

    func nextCall() -> TransferCalls.Call? { change(isOwnCall: true) { $0.calls.next() } }
}

// MARK: - Calls to the creator

extension DataTaskOutput {
    /// `isOwnCall` means that no receiver may be called, for example inside one of the task's own functions.
    private func change<Result>(
        isOwnCall: Bool = false, _ change: (inout State) -> Result
    ) -> Result {
        let (result, call, schedules) = state.withLock { state in
            // The operation may deliver, and complete, inside a function that the task is calling.
            let isOwnCall = isOwnCall || state.calls.isCalling
            let result = change(&state)
            let call = state.queue.firstCall(isOwnCall: isOwnCall)
            let schedules = isOwnCall && !state.isScheduled && state.queue.hasNextCallElsewhere
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
    package static let deliveries = DispatchQueue(label: "Swallow.deliveries", attributes: .concurrent)
}
