import Foundation

package protocol ResponseReceiver: Sendable {
    func receive(_ part: ResponsePart)
    func receive(_ result: DataTaskResult)
}

/// A data task of another data source, on behalf of an adapter or a transfer. Its receiver receives at most one result.
package final class BaseDataTask: Sendable {
    private struct State: Sendable {
        var wanted = TransferCalls.Course()
        var calls = TransferCalls()
        /// `nil` before its creation and after a cancel.
        var dataTask: (any DataTask)?
        var receiver: (any ResponseReceiver)?
    }

    private let state = Lock(State())

    package init() {}

    package func send(
        _ request: URLRequest, to source: any SessionDataTaskDataSource, for receiver: any ResponseReceiver
    ) {
        let isWanted = state.withLock { state in
            if state.wanted.isCancelled { return false }
            state.receiver = receiver
            return true
        }
        guard isWanted else { return }
        let completion = DataTaskCompletion(self)
        let dataTask = source.dataTask(with: request) {
            completion.complete(with: DataTaskResult($0, $1, $2))
        }
        let (isOpen, call) = state.withLock { state -> (Bool, TransferCalls.Call?) in
            guard state.receiver != nil else { return (false, nil) }
            state.dataTask = dataTask
            return (true, state.calls.next(toward: state.wanted))
        }
        if isOpen { make(call, on: dataTask) } else { dataTask.cancel() }
    }

    package func resume() { record { $0.pause = .none }?.make() }
    package func suspend() { record { $0.pause = .all }?.make() }
    package func deliverParts() { record { $0.inParts = true }?.make() }
    package func cancel() { record { $0.isCancelled = true }?.make() }

    package struct PendingCall: Sendable {
        fileprivate let base: BaseDataTask
        fileprivate let call: TransferCalls.Call
        fileprivate let dataTask: any DataTask

        package func make() { base.make(call, on: dataTask) }
    }

    /// Records a change. May be called under a lock, because the caller makes the returned call later.
    package func record(_ change: (inout TransferCalls.Course) -> Void) -> PendingCall? {
        state.withLock { state in
            change(&state.wanted)
            guard let dataTask = state.dataTask, let call = state.calls.next(toward: state.wanted)
            else { return nil }
            return PendingCall(base: self, call: call, dataTask: dataTask)
        }
    }

    fileprivate func make(_ first: TransferCalls.Call?, on dataTask: any DataTask) {
        var next = first
        while let call = next {
            switch call {
            case .start(let inParts):
                if inParts { stream(dataTask) }
                dataTask.resume()
            case .deliverParts: stream(dataTask)
            case .setPause(.none): dataTask.resume()
            case .setPause: dataTask.suspend()
            case .cancel:
                dataTask.cancel()
                // A data source that never completes the task would otherwise keep the receiver alive.
                _ = end()
                let released = state.withLock { $0.dataTask.take() }
                withExtendedLifetime(released) {}
            }
            next = state.withLock { $0.calls.next(toward: $0.wanted, afterCall: true) }
        }
    }

    private func stream(_ dataTask: any DataTask) {
        // A data task may store this closure even after its completion.
        dataTask.stream { [weak self] part in
            let receiver = self?.state.withLock { $0.receiver }
            receiver?.receive(part)
        }
    }

    fileprivate func complete(with result: DataTaskResult) { end()?.receive(result) }

    private func end() -> (any ResponseReceiver)? {
        state.withLock { state in
            if state.receiver != nil { state.calls.end() }
            return state.receiver.take()
        }
    }

    package var facts: TransferFacts {
        state.withLock { $0.dataTask }.map { TransferFacts($0) } ?? TransferFacts()
    }
}

/// A completion for a data source. Completes the task once, with an empty result if released uncalled, and releases it.
private final class DataTaskCompletion: Sendable {
    private let base: Lock<BaseDataTask?>

    init(_ base: BaseDataTask) {
        self.base = Lock(base)
    }

    deinit { complete(with: DataTaskResult(nil, nil, nil)) }

    func complete(with result: DataTaskResult) { base.withLock { $0.take() }?.complete(with: result) }
}
