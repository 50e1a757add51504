import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A data task that decides who does its work when it is first resumed, and then passes everything on.
///
/// It keeps the contract towards its caller, whatever the worker does.
final class LateDataTask: DataTask {
    /// Makes the worker, which ends the task by its completion, once.
    typealias Maker = @Sendable (URLRequest, @escaping Completion.Handler) -> any DataTask

    private struct State: Sendable {
        var delivery: Delivery
        var transfer = TransferState()
        var maker: Maker?
        var worker: (any DataTask)?
    }

    private let request: URLRequest
    private let state: Lock<State>

    init(_ request: URLRequest, _ completion: @escaping Completion.Handler, _ maker: @escaping Maker) {
        self.request = request
        state = Lock(State(delivery: Delivery(completion), maker: maker))
    }

    func resume() {
        var maker: Maker?
        change(isOwnCall: true) { state in
            if state.transfer.resume() { maker = state.maker.take() }
            return state.delivery.resume()
        }
        if let maker { begin(maker) } else { sendSignals() }
    }

    func suspend() {
        change(isOwnCall: true) { state in
            if state.transfer.isCreated { return nil }
            state.delivery.suspend()
            state.transfer.suspend()
            return nil
        }
        sendSignals()
    }

    func cancel() {
        end(cancelling: true, isOwnCall: true) { $0.fail(with: URLError(.cancelled)) }
    }

    func stream(to receiver: @escaping @Sendable (ResponsePart) -> Void) {
        var worker: (any DataTask)?
        change(isOwnCall: true) { state in
            if state.delivery.stream(to: receiver) { worker = state.worker }
            return nil
        }
        worker?.stream(to: receive)
    }

    var transferProgress: TransferProgress { worker?.transferProgress ?? TransferProgress() }
    var transferMetrics: TransferMetrics? { worker?.transferMetrics }
    var trailers: Headers { worker?.trailers ?? [:] }

    private var worker: (any DataTask)? { state.withLock { $0.worker } }
}

extension LateDataTask {
    /// What the worker holds: a worker that goes away without an answer ends the task with nothing.
    private final class Receipt: Sendable {
        private let task: LateDataTask

        init(_ task: LateDataTask) { self.task = task }
        deinit { end(with: Ending(nil, nil, nil)) }

        func end(with ending: Ending) { task.end(cancelling: false) { $0.end(with: ending) } }
    }

    private func begin(_ maker: Maker) {
        let receipt = Receipt(self)
        let worker = maker(request) { receipt.end(with: Ending($0, $1, $2)) }
        let (isNeeded, isStreamed) = state.withLock { state in
            state.worker = worker
            return (state.transfer.begin(worker), state.delivery.isStreamed)
        }
        guard isNeeded else { return worker.cancel() }
        if isStreamed { worker.stream(to: receive) }
        sendSignals()
    }

    private func receive(_ part: ResponsePart) {
        change { state in
            state.delivery.add(part)
            return nil
        }
    }

    private func end(
        cancelling: Bool, isOwnCall: Bool = false, _ complete: (inout Delivery) -> Completion.Call?
    ) {
        // Returned, so that it is let go of outside the lock.
        var maker: Maker?
        change(isOwnCall: isOwnCall) { state in
            if state.delivery.isDue { _ = state.transfer.end(cancelling: cancelling) }
            maker = state.maker.take()
            return complete(&state.delivery)
        }
        sendSignals()
        withExtendedLifetime(maker) {}
    }

    /// Makes a change, and the calls that follow from it.
    ///
    /// - Parameter isOwnCall: whether this is a call of the task's own, in which it calls no receiver.
    private func change(isOwnCall: Bool = false, _ change: (inout State) -> Completion.Call?) {
        let (call, hasTurn) = state.withLock { state in (change(&state), state.delivery.takeTurn()) }
        call?()
        guard hasTurn else { return }
        if isOwnCall { DispatchQueue.deliveries.async { self.deliver() } } else { deliver() }
    }

    private func deliver() {
        while let call = state.withLock({ $0.delivery.next() }) { call() }
    }

    private func sendSignals() {
        TransferState.send { isSender in state.withLock { $0.transfer.nextSignal(isSender: isSender) } }
    }
}
