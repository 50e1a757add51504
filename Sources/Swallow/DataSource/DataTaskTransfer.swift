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
        let isPaused = state.withLock { state in
            state.isStarted = true
            return state.transfer.isPaused
        }
        if delivery == .parts { base.deliverParts() }
        if !isPaused { base.resume() }
        // A data source may have completed the request before the data task was resumed.
        deliverEvents()
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
        state.withLock { $0.isStarted = true }
        add(.ending(.failure(error)))
        base.cancel()
    }

    var facts: TransferFacts { base.facts }
}

// MARK: - Events

extension DataTaskTransfer: ResponseReceiver {
    func receive(_ part: ResponsePart) { add(.part(part)) }
    func receive(_ ending: Ending) { add(.ending(ending)) }

    private func add(_ event: Event) {
        state.withLock { $0.events.append(event) }
        deliverEvents()
    }

    private func deliverEvents() {
        while let (event, transfer) = state.withLock({ $0.nextEvent() }) {
            switch event {
            // Bytes before the head are dropped.
            case .part(.head(let head)): if transfer.isAwaitingHead { deliverHead(ResponseHead(head)) }
            case .part(.bytes(let bytes)): deliverBytes(bytes, transfer)
            case .ending(let ending): deliverEnding(ending, transfer)
            }
            state.withLock { $0.isDelivering = false }
        }
    }

    private func deliverHead(_ head: ResponseHead) {
        guard let answer = state.withLock({ $0.transfer.receiver })?.receiveHead(head) else { return }
        let (isStuck, _) = state.withLock { $0.transfer.take(answer) }
        if isStuck { base.cancel() }
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
        case (.awaitingHead, nil, let head?):
            deliverHead(head)
            deliverEnding(ending, state.withLock { $0.transfer })
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
    /// Returns the objects that must be released outside the lock.
    fileprivate mutating func end() -> (TransferReceiver?, [DataTaskTransfer.Event]) {
        (transfer.end(), events.removeAll())
    }

    fileprivate mutating func nextEvent() -> (DataTaskTransfer.Event, TransferState)? {
        guard isStarted, !isDelivering, let event = events.takeFirst() else { return nil }
        isDelivering = true
        return (event, transfer)
    }
}
