import Foundation

/// Turns any public ``DataTask`` into a transfer. The transfer's owner stores bytes that arrive during a pause.
final class DataTaskTransfer: Transfer {
    fileprivate enum Event: Sendable {
        case part(ResponsePart)
        case result(DataTaskResult)
    }

    fileprivate struct State: Sendable {
        var transfer = TransferState()
        var isDelivering = false
        var waiting = Queue<Event>()
    }

    private let base = BaseDataTask()
    private let state = Lock(State())

    init(_ request: URLRequest, through source: any SessionDataTaskDataSource) {
        base.send(request, to: source, for: self)
    }
}

extension DataTaskTransfer {
    func start(inParts: Bool, for receiver: TransferReceiver) {
        // A data source may have completed the request before the data task was resumed.
        let waiting = state.withLock { state in
            state.transfer.start(for: receiver)
            return state.nextEvent()
        }
        if inParts { base.deliverParts() }
        base.resume()
        deliver(waiting)
    }

    func deliverParts() { base.deliverParts() }

    func setPause(_ pause: TransferPause) {
        // Recording the call under the lock keeps the order of this change and of `fill`.
        let call = state.withLock { state in
            state.transfer.setPaused(pause != .none)
            return base.record { $0.pause = pause == .none ? .none : .all }
        }
        call?.make()
    }

    func cancel() {
        let rest = state.withLock { $0.end() }
        withExtendedLifetime(rest) { base.cancel() }
    }

    var facts: TransferFacts { base.facts }
}

extension DataTaskTransfer: ResponseReceiver {
    func receive(_ part: ResponsePart) { add(.part(part)) }
    func receive(_ result: DataTaskResult) { add(.result(result)) }

    private func add(_ event: Event) { if state.withLock({ $0.add(event) }) { deliver(event) } }

    private func deliver(_ first: Event?) {
        var next = first
        while let event = next {
            switch event {
            case .part(.head(let head)): deliverHead(ResponseHead(head))
            case .part(.bytes(let bytes)): deliverBytes(bytes)
            case .result(let result): return complete(with: result)
            }
            next = state.withLock { $0.nextEvent() }
        }
    }

    private func deliverHead(_ head: ResponseHead) {
        let receiver = state.withLock { $0.transfer.isAwaitingHead ? $0.transfer.receiver : nil }
        guard let answer = receiver?.receiveHead(head) else { return }
        let (isStuck, _) = state.withLock { $0.transfer.take(answer) }
        if isStuck { base.cancel() }
    }

    private func deliverBytes(_ bytes: Data) {
        let (receiver, changes, isTooLong) = state.withLock { state in
            let receiver = state.transfer.isAccepted ? state.transfer.receiver : nil
            return (receiver, state.transfer.pauseChanges, state.transfer.drop(bytes))
        }
        if isTooLong { return base.cancel() }
        guard case .pause? = receiver?.receiveBodyPart(bytes) else { return }
        let call = state.withLock { state in
            state.transfer.fill(since: changes) ? base.record { $0.pause = .all } : nil
        }
        call?.make()
    }

    private func complete(with result: DataTaskResult) {
        let (isAccepted, (end, _)) = state.withLock { ($0.transfer.isAccepted, $0.end()) }
        guard let receiver = end else { return }
        switch (result.error, (result.response as? HTTPURLResponse).map(ResponseHead.init)) {
        case (let error?, let head): receiver.receiveCompletion(.failure(error, isAccepted ? nil : head))
        case (nil, _) where isAccepted: receiver.receiveCompletion(.success(result.data ?? Data()))
        case (nil, let head?):
            guard receiver.receiveHead(head) == .accept else { return }
            receiver.receiveCompletion(.success(result.data ?? Data()))
        case (nil, nil):
            let detail =
                "the data source returned \(result.response == nil ? "no response" : "a response that isn't HTTP")"
            receiver.receiveCompletion(.failure(ServiceError(.invalidResponse, detail: detail), nil))
        }
    }
}

extension DataTaskTransfer.State {
    fileprivate mutating func end() -> (TransferReceiver?, [DataTaskTransfer.Event]) {
        (transfer.end(), waiting.removeAll())
    }

    fileprivate mutating func add(_ event: DataTaskTransfer.Event) -> Bool {
        if transfer.isOver { return false }
        if isDelivering || transfer.isCreated {
            waiting.append(event)
            return false
        }
        isDelivering = true
        return true
    }

    fileprivate mutating func nextEvent() -> DataTaskTransfer.Event? {
        let event = waiting.takeFirst()
        isDelivering = event != nil
        return event
    }
}

struct TransferState: Sendable {
    enum Phase: Sendable {
        case created
        case awaitingHead
        case accepted
        case draining(dropped: Int)
        case over
    }

    var phase = Phase.created
    /// `nil` before the start and after the last event.
    private(set) var receiver: TransferReceiver?
    private(set) var isPaused = false
    private(set) var pauseChanges = 0

    var isCreated: Bool { if case .created = phase { true } else { false } }
    var isAwaitingHead: Bool { if case .awaitingHead = phase { true } else { false } }
    var isAccepted: Bool { if case .accepted = phase { true } else { false } }
    var isOver: Bool { if case .over = phase { true } else { false } }

    mutating func start(for receiver: TransferReceiver) {
        if isCreated { (phase, self.receiver) = (.awaitingHead, receiver) }
    }

    mutating func setPaused(_ isPaused: Bool) {
        self.isPaused = isPaused
        pauseChanges += 1
    }

    /// Pauses the transfer after its owner returned `.pause`. Returns `false` if `setPaused` was called in between.
    mutating func fill(since changes: Int) -> Bool {
        guard pauseChanges == changes else { return false }
        isPaused = true
        return true
    }

    /// `isStuck` means that the transfer has to be cancelled, because a paused transfer would never drain its body.
    mutating func take(_ answer: HeadAnswer) -> (isStuck: Bool, TransferReceiver?) {
        if isOver { return (false, nil) }
        phase = answer == .accept ? .accepted : .draining(dropped: 0)
        return answer == .accept ? (false, nil) : (isPaused, receiver.take())
    }

    /// Drops the bytes of a drained transfer. Returns whether it has to be cancelled, because it has too many bytes.
    mutating func drop(_ bytes: Data) -> Bool {
        guard case .draining(var dropped) = phase else { return false }
        dropped += bytes.count
        phase = dropped > HeadAnswer.drainLimit ? .over : .draining(dropped: dropped)
        return isOver
    }

    mutating func end() -> TransferReceiver? {
        phase = .over
        return receiver.take()
    }
}
