import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A data task that is made before its worker: when it is first resumed, it makes the data task that does its work, and
/// passes everything on to that.
///
/// It keeps the contract towards its caller, whatever the worker does.
final class DeferredDataTask: DataTask {
    /// Makes the worker, which ends the task by its completion, once.
    typealias Maker = @Sendable (URLRequest, @escaping PartQueue.Completion) -> any DataTask

    private struct State: Sendable {
        var control = CarrierControl()
        var maker: Maker?
        var worker: (any DataTask)?
    }

    private let request: URLRequest
    private let outbox: Outbox<State>

    init(_ request: URLRequest, _ completion: @escaping PartQueue.Completion, _ maker: @escaping Maker) {
        self.request = request
        outbox = Outbox(State(maker: maker), completion)
    }

    func resume() {
        let maker = outbox.change(isOwnCall: true) { state, queue in
            queue.resume()
            return state.control.resume() ? state.maker.take() : nil
        }
        if let maker { begin(maker) } else { sendSignals() }
    }

    func suspend() {
        outbox.change(isOwnCall: true) { state, queue in
            if state.control.isCreated { return }
            queue.suspend()
            state.control.suspend()
        }
        sendSignals()
    }

    func cancel() {
        end(cancelling: true, isOwnCall: true) { $0.fail(with: URLError(.cancelled)) }
    }

    func stream(to receiver: @escaping @Sendable (ResponsePart) -> Void) {
        let worker = outbox.change(isOwnCall: true) { $1.stream(to: receiver) ? $0.worker : nil }
        worker?.stream(to: receive)
    }

    var transferProgress: TransferProgress { worker?.transferProgress ?? TransferProgress() }
    var transferMetrics: TransferMetrics? { worker?.transferMetrics }
    var trailers: Headers { worker?.trailers ?? [:] }

    private var worker: (any DataTask)? { outbox.withState { state in state.worker } }
}

extension DeferredDataTask: EndingReceiver {
    package func receive(_ ending: Ending) { end(cancelling: false) { $0.end(with: ending) } }

    private func begin(_ maker: Maker) {
        let receipt = Receipt(self)
        let worker = maker(request) { receipt($0, $1, $2) }
        let (isNeeded, isStreamed) = outbox.change { state, queue in
            state.worker = worker
            return (state.control.begin(worker), queue.isStreamed)
        }
        guard isNeeded else { return worker.cancel() }
        if isStreamed { worker.stream(to: receive) }
        sendSignals()
    }

    private func receive(_ part: ResponsePart) {
        outbox.change { $1.add(part) }
    }

    private func end(
        cancelling: Bool, isOwnCall: Bool = false, _ complete: (inout PartQueue) -> Void
    ) {
        // The maker is returned, so that it is released outside the lock.
        let maker = outbox.change(isOwnCall: isOwnCall) { state, queue in
            if queue.isOpen { _ = state.control.end(cancelling: cancelling) }
            complete(&queue)
            return state.maker.take()
        }
        sendSignals()
        withExtendedLifetime(maker) {}
    }

    private func sendSignals() {
        CarrierControl.send { isSender in
            outbox.change(isOwnCall: true) { state, _ in state.control.nextSignal(isSender: isSender) }
        }
    }
}
