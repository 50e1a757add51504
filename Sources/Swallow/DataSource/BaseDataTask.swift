import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

package protocol ResponseReceiver: EndingReceiver {
    func receive(_ part: ResponsePart)
}

/// The data task that an adapter creates with its base data source. It calls the data task in the order that
/// ``DataTaskCalls`` decides. The receiver receives at most one completion, and none after `cancel()`.
package final class BaseDataTask: EndingReceiver {
    private struct State: Sendable {
        var calls = DataTaskCalls(isCreating: true)
        var dataTask: (any DataTask)?
        var receiver: (any ResponseReceiver)?
        /// The facts of a completed data task, if any. A value outside this array would take 312 bytes.
        var finalFacts: [TransferFacts] = []
    }

    private let state = Lock(State())

    package init() {}

    package func send(
        _ request: URLRequest, to source: any SessionDataTaskDataSource, for receiver: any ResponseReceiver
    ) {
        let isWanted = state.withLock { state in
            if state.calls.isOver { return false }
            state.receiver = receiver
            return true
        }
        guard isWanted else { return }
        let receipt = Receipt(self)
        let dataTask = source.dataTask(with: request) { receipt($0, $1, $2) }
        let (isOpen, call) = state.withLock { state -> (Bool, DataTaskCalls.Call?) in
            guard state.receiver != nil else { return (false, nil) }
            state.dataTask = dataTask
            return (true, state.calls.next())
        }
        if isOpen { make(call) } else { dataTask.cancel() }
    }

    package func resume() { record { $0.resume() }?.make() }
    package func suspend() { record { $0.suspend() }?.make() }
    package func deliverParts() { record { $0.deliverParts() }?.make() }
    package func cancel() { record { $0.cancel() }?.make() }

    /// A call to make outside the adapter's lock.
    package struct DueCall: Sendable {
        fileprivate let base: BaseDataTask
        fileprivate let call: DataTaskCalls.Call

        package func make() { base.make(call) }
    }

    /// Records a change without calling the data task, even under the adapter's lock. Returns the call that is due,
    /// unless another thread makes it.
    package func record(_ change: (inout DataTaskCalls) -> DataTaskCalls.Call?) -> DueCall? {
        state.withLock { change(&$0.calls) }.map { DueCall(base: self, call: $0) }
    }

    fileprivate func make(_ first: DataTaskCalls.Call?) {
        let (dataTask, receiver) = state.withLock { ($0.dataTask, $0.receiver) }
        guard let dataTask else { return }
        var next = first
        while let call = next {
            switch call {
            case .start(let inParts):
                if inParts, let receiver { dataTask.stream { receiver.receive($0) } }
                dataTask.resume()
            case .deliverParts: if let receiver { dataTask.stream { receiver.receive($0) } }
            case .suspend: dataTask.suspend()
            case .resume: dataTask.resume()
            case .cancel:
                dataTask.cancel()
                // A data source that never completes the task would otherwise keep the receiver alive.
                _ = end()
            }
            next = state.withLock { $0.calls.next() }
        }
    }

    package func receive(_ ending: Ending) { end()?.receive(ending) }

    /// Returns the receiver on the first call.
    private func end() -> (any ResponseReceiver)? {
        let facts = state.withLock { $0.dataTask }.map { TransferFacts($0) }
        // Releases the data task outside the lock.
        let (receiver, _) = state.withLock { state -> ((any ResponseReceiver)?, (any DataTask)?) in
            state.calls.end()
            if let facts, !facts.isEmpty { state.finalFacts = [facts] }
            return (state.receiver.take(), state.dataTask.take())
        }
        return receiver
    }

    /// Also available after the completion.
    package var facts: TransferFacts {
        let (dataTask, finalFacts) = state.withLock { ($0.dataTask, $0.finalFacts) }
        return dataTask.map { TransferFacts($0) } ?? finalFacts.first ?? TransferFacts()
    }
}
