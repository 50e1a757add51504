import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Turns any public ``DataTask`` into a transfer. While it is paused, the body sink stores further bytes.
final class DataTaskTransfer: Transfer {
    fileprivate enum Event: Sendable {
        case part(ResponsePart)
        case ending(Ending)
    }

    fileprivate struct State: Sendable {
        var transfer: TransferState
        var isStarted = false
        var events = Queue<Event>()
        var isDelivering = false
    }

    private let base = BaseDataTask()
    private let state: Lock<State>

    init(
        _ request: URLRequest, through source: any SessionDataTaskDataSource, to receiver: TransferReceiver
    ) {
        state = Lock(State(transfer: TransferState(receiver)))
        base.send(request, to: source, for: self)
    }
}

// MARK: - Calls of the owner

extension DataTaskTransfer {
    func start(_ delivery: BodyDelivery) {
        // A data source may have completed the request before the data task was resumed.
        let (isPaused, next) = state.withLock { ($0.transfer.isPaused, $0.start()) }
        if delivery == .parts { base.deliverParts() }
        if !isPaused { base.resume() }
        deliver(next)
    }

    func deliverParts() { base.deliverParts() }

    func setPaused(_ isPaused: Bool, change: Int) {
        // Recording the call under the lock keeps the order of the changes.
        let call = state.withLock { state -> BaseDataTask.DueCall? in
            guard state.transfer.setPaused(isPaused, change: change), state.isStarted else { return nil }
            return base.record { isPaused ? $0.suspend() : $0.resume() }
        }
        call?.make()
    }

    func cancel() {
        let rest = state.withLock { $0.end() }
        withExtendedLifetime(rest) { base.cancel() }
    }

    func fail(with error: any Error) {
        let next = state.withLock { state in
            let (waiting, failure) = (state.start(), state.add(.ending(.failure(error))))
            return waiting ?? failure
        }
        deliver(next)
        base.cancel()
    }

    var facts: TransferFacts { base.facts }
}

// MARK: - Events

extension DataTaskTransfer: ResponseReceiver {
    func receive(_ part: ResponsePart) { add(.part(part)) }
    func receive(_ ending: Ending) { add(.ending(ending)) }

    private func add(_ event: Event) { deliver(state.withLock { $0.add(event) }) }

    /// Delivers an event and the events that wait behind it, one at a time.
    private func deliver(_ first: State.Delivery?) {
        var next = first
        while let (event, transfer) = next {
            switch event {
            // Bytes before the head are dropped.
            case .part(.head(let head)):
                if transfer.isAwaitingHead { _ = deliverHead(ResponseHead(head), transfer) }
            case .part(.bytes(let bytes)): deliverBytes(bytes, transfer)
            case .ending(let ending): deliverEnding(ending, transfer)
            }
            next = state.withLock { $0.nextEvent() }
        }
    }

    /// Returns the state after the owner's decision about the head.
    private func deliverHead(_ head: ResponseHead, _ transfer: TransferState) -> TransferState {
        guard let answer = transfer.receiver?.receiveHead(head) else { return transfer }
        let (decision, next) = state.withLock { ($0.transfer.take(answer), $0.transfer) }
        if decision.isStuck { base.cancel() }
        return next
    }

    private func deliverBytes(_ bytes: Data, _ transfer: TransferState) {
        if transfer.isAccepted {
            guard case .pause? = transfer.receiver?.receiveBodyPart(bytes) else { return }
            let call = state.withLock { state in
                state.transfer.fill(since: transfer.latestChange) ? base.record { $0.suspend() } : nil
            }
            call?.make()
        } else if state.withLock({ $0.transfer.drop(bytes) }) {
            base.cancel()
        }
    }

    private func deliverEnding(_ ending: Ending, _ transfer: TransferState) {
        switch (transfer.phase, ending.error, ending.head) {
        case (.awaitingHead, nil, let head?): deliverEnding(ending, deliverHead(head, transfer))
        case (.awaitingHead, nil, nil):
            let detail =
                "the data source returned \(ending.response == nil ? "no response" : "a response that isn't HTTP")"
            complete(.failure(ServiceError(.invalidResponse, detail: detail), nil))
        case (.awaitingHead, let error?, let head): complete(.failure(error, head))
        case (.accepted, let error?, _): complete(.failure(error, nil))
        case (.accepted, nil, _): complete(.success(ending.data ?? Data()))
        case (.draining, _, _), (.over, _, _): break
        }
    }

    private func complete(_ result: TransferResult) {
        state.withLock { $0.end() }.0?.complete(result)
    }
}

extension DataTaskTransfer.State {
    /// An event, and the transfer's state at that moment.
    fileprivate typealias Delivery = (DataTaskTransfer.Event, TransferState)

    /// Returns the objects that must be released outside the lock.
    fileprivate mutating func end() -> (TransferReceiver?, [DataTaskTransfer.Event]) {
        (transfer.end(), events.removeAll())
    }

    /// Allows deliveries.
    ///
    /// - Returns: The first event to deliver, unless another thread delivers events.
    fileprivate mutating func start() -> Delivery? {
        isStarted = true
        return isDelivering ? nil : nextEvent()
    }

    /// Adds an event.
    ///
    /// - Returns: The event, unless it has to wait. Events wait only before the start and while a thread delivers one.
    fileprivate mutating func add(_ event: DataTaskTransfer.Event) -> Delivery? {
        if isStarted, !isDelivering {
            isDelivering = true
            return (event, transfer)
        }
        events.append(event)
        return nil
    }

    /// Returns the event that the delivering thread delivers next. After `nil`, another thread may deliver events.
    fileprivate mutating func nextEvent() -> Delivery? {
        let event = events.takeFirst()
        isDelivering = event != nil
        return event.map { ($0, transfer) }
    }
}
