import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A data task that decides who does its work when it is first resumed, and then passes everything on.
///
/// It keeps the contract towards its caller whatever the worker does: one completion, none while it is suspended, at
/// once for `cancel()`, and never while a part is taken.
final class LateDataTask: DataTask {
    /// Makes the worker; it ends the task by its completion, once.
    typealias Maker = @Sendable (URLRequest, @escaping Completion.Handler) -> any DataTask

    private typealias Receiver = @Sendable (ResponsePart) -> Void

    private struct State: Sendable {
        var completion: Completion
        var transfer = TransferState()
        var maker: Maker?
        var worker: (any DataTask)?
        var receiver: Receiver?
        var isReceiving = false
        /// What waits for the receiver to return.
        var call: Completion.Call?
    }

    private let request: URLRequest
    private let state: Lock<State>

    init(_ request: URLRequest, _ completion: @escaping Completion.Handler, _ maker: @escaping Maker) {
        self.request = request
        state = Lock(State(completion: Completion(completion), maker: maker))
    }

    func resume() {
        let (call, maker, streams) = state.withLock { state -> (Completion.Call?, Maker?, Bool) in
            if let call = state.completion.resume() { return (call, nil, false) }
            let isFirst = state.transfer.resume()
            return (nil, isFirst ? state.maker.take() : nil, state.receiver != nil)
        }
        call?()
        guard let maker else { return sendSignals() }
        let receipt = Receipt(self)
        let worker = maker(request) { receipt.end(with: Ending($0, $1, $2)) }
        if streams { worker.stream(to: receive) }
        let (isNeeded, streamsNow) = state.withLock { state in
            state.worker = worker
            return (state.transfer.begin(worker), state.receiver != nil)
        }
        if streamsNow, !streams { worker.stream(to: receive) }
        if isNeeded { sendSignals() } else { worker.cancel() }
    }

    func suspend() {
        state.withLock { state in
            if state.transfer.isCreated { return }
            state.completion.suspend()
            state.transfer.suspend()
        }
        sendSignals()
    }

    func cancel() {
        end(cancelling: true) { $0.fail(with: URLError(.cancelled)) }
    }

    func stream(to receiver: @escaping @Sendable (ResponsePart) -> Void) {
        let worker = state.withLock { state -> (any DataTask)? in
            guard state.completion.isDue, state.receiver == nil else { return nil }
            state.receiver = receiver
            return state.worker
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

    private func receive(_ part: ResponsePart) {
        let receiver = state.withLock { state -> Receiver? in
            guard state.completion.isDue else { return nil }
            state.isReceiving = true
            return state.receiver
        }
        guard let receiver else { return }
        receiver(part)
        let call = state.withLock { state in
            state.isReceiving = false
            return state.call.take()
        }
        call?()
    }

    private func end(cancelling: Bool, _ complete: (inout Completion) -> Completion.Call?) {
        // The receiver and the maker are returned, so that they are let go of outside the lock.
        let (call, receiver, maker) = state.withLock { state -> (Completion.Call?, Receiver?, Maker?) in
            let wasDue = state.completion.isDue
            let call = complete(&state.completion)
            if wasDue { _ = state.transfer.end(cancelling: cancelling) }
            if state.isReceiving, call != nil { state.call = call }
            return (state.isReceiving ? nil : call, wasDue ? state.receiver.take() : nil, state.maker.take())
        }
        withExtendedLifetime((receiver, maker)) { call?() }
        sendSignals()
    }

    private func sendSignals() {
        TransferState.send { isSender in state.withLock { $0.transfer.nextSignal(isSender: isSender) } }
    }
}
