import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Turns any public ``DataTask`` into a transfer.
///
/// Its events arrive on the data source's threads. If the data task delivers more while it is paused, the body sink
/// stores it.
final class DataTaskTransfer: Transfer {
    fileprivate enum Event: Sendable {
        case part(ResponsePart)
        case ending(Ending)
    }

    fileprivate enum Phase: Sendable {
        /// The head hasn't arrived. Bytes before it are dropped.
        case awaitingHead
        /// The owner hasn't decided about the head yet, so events wait.
        case awaitingAnswer
        case accepted
        case draining(dropped: Int)
        case over
    }

    fileprivate struct State: Sendable {
        /// `nil` after the last event, so that the owner and the transfer don't keep each other alive.
        var receiver: TransferReceiver?
        var phase = Phase.awaitingHead
        var isStarted = false
        var isPaused = false
        /// The number of the latest change between pause and resume.
        var latestChange = 0
        var events: [Event] = []
        /// Whether a thread delivers events.
        var isDelivering = false
    }

    private let base = BaseDataTask()
    private let state: Lock<State>

    /// Creates the data task for a request.
    init(
        _ request: URLRequest, through source: any SessionDataTaskDataSource, to receiver: TransferReceiver
    ) {
        state = Lock(State(receiver: receiver))
        base.send(request, to: source, for: self)
    }
}

// MARK: - Calls of the owner

extension DataTaskTransfer {
    func start(_ delivery: BodyDelivery) {
        let isPaused = state.withLock { state in
            state.isStarted = true
            return state.isPaused
        }
        if delivery == .parts { base.deliverParts() }
        if !isPaused { base.resume() }
        // A data source may have completed the request before the data task was resumed.
        deliverEvents()
    }

    func deliverParts() { base.deliverParts() }

    func setPaused(_ isPaused: Bool, change: Int) {
        // The call is recorded under the lock, so that the calls to the data task keep the order of the changes.
        let call = state.withLock { state -> BaseDataTask.DueCall? in
            guard change > state.latestChange, state.receiver != nil else { return nil }
            (state.latestChange, state.isPaused) = (change, isPaused)
            guard state.isStarted else { return nil }
            return base.record { isPaused ? $0.suspend() : $0.resume() }
        }
        call?.make()
    }

    func answer(_ answer: HeadAnswer) {
        if case .awaitingAnswer = state.withLock({ $0.phase }) { take(answer) }
        deliverEvents()
    }

    func cancel() {
        let rest = state.withLock { $0.end() }
        withExtendedLifetime(rest) { base.cancel() }
    }

    func fail(with error: any Error) {
        state.withLock { $0.isStarted = true }
        receive(.ending(.failure(error)))
        base.cancel()
    }

    var facts: TransferFacts { base.facts }
}

// MARK: - Events

extension DataTaskTransfer: ResponseReceiver {
    func receive(_ part: ResponsePart) { receive(.part(part)) }
    func receive(_ ending: Ending) { receive(.ending(ending)) }

    private func receive(_ event: Event) {
        state.withLock { $0.events.append(event) }
        deliverEvents()
    }

    /// Delivers the events that wait, one at a time.
    private func deliverEvents() {
        while let (event, phase) = state.withLock({ $0.nextEvent() }) {
            switch event {
            case .part(.head(let head)): if case .awaitingHead = phase { deliver(ResponseHead(head)) }
            case .part(.bytes(let bytes)): deliver(bytes, in: phase)
            case .ending(let ending): deliver(ending, in: phase)
            }
            state.withLock { $0.isDelivering = false }
        }
    }

    private func deliver(_ head: ResponseHead) {
        if let receiver = state.withLock({ $0.receiver }) { take(receiver.receive(head)) }
    }

    private func take(_ answer: HeadAnswer) {
        let isStuck = state.withLock { state in
            if case .over = state.phase { return false }
            switch answer {
            case .accept: state.phase = .accepted
            case .later: state.phase = .awaitingAnswer
            case .drain:
                state.phase = .draining(dropped: 0)
                return state.isPaused
            }
            return false
        }
        if case .drain = answer { releaseReceiver() }
        // A paused data task would wait forever for its resume.
        if isStuck { base.cancel() }
    }

    private func releaseReceiver() {
        let receiver = state.withLock { $0.receiver.take() }
        withExtendedLifetime(receiver) {}
    }

    private func deliver(_ bytes: Data, in phase: Phase) {
        switch phase {
        case .accepted:
            let (receiver, change) = state.withLock { ($0.receiver, $0.latestChange) }
            guard case .pause? = receiver?.receive(bytes) else { return }
            // The owner has room again if it resumed the transfer while it received the bytes.
            let call = state.withLock { state -> BaseDataTask.DueCall? in
                guard state.latestChange == change else { return nil }
                state.isPaused = true
                return base.record { $0.suspend() }
            }
            call?.make()
        case .draining(let dropped):
            let isTooLong = dropped + bytes.count > Draining.limit
            state.withLock { $0.phase = isTooLong ? .over : .draining(dropped: dropped + bytes.count) }
            if isTooLong { base.cancel() }
        case .awaitingHead, .awaitingAnswer, .over: break
        }
    }

    private func deliver(_ ending: Ending, in phase: Phase) {
        switch (phase, ending.error, ending.head) {
        case (.awaitingHead, nil, let head?):
            deliver(head)
            // The completion is delivered after the owner has accepted the head.
            return state.withLock { $0.events.insert(.ending(ending), at: 0) }
        case (.awaitingHead, nil, nil):
            let detail =
                "the data source returned \(ending.response == nil ? "no response" : "a response that isn't HTTP")"
            complete(.failure(ServiceError(.invalidResponse, detail: detail), nil))
        case (.awaitingHead, let error?, let head): complete(.failure(error, head))
        case (.accepted, let error?, _): complete(.failure(error, nil))
        case (.accepted, nil, _): complete(.success(ending.data ?? Data()))
        case (.draining, _, _), (.awaitingAnswer, _, _), (.over, _, _): break
        }
    }

    private func complete(_ result: TransferResult) {
        state.withLock { $0.end() }.0?.complete(result)
    }
}

extension DataTaskTransfer.State {
    /// Returns the objects that must be released outside the lock.
    fileprivate mutating func end() -> (TransferReceiver?, [DataTaskTransfer.Event]) {
        phase = .over
        defer { events = [] }
        return (receiver.take(), events)
    }

    fileprivate mutating func nextEvent() -> (DataTaskTransfer.Event, DataTaskTransfer.Phase)? {
        guard isStarted, !isDelivering, !events.isEmpty else { return nil }
        if case .awaitingAnswer = phase { return nil }
        isDelivering = true
        return (events.removeFirst(), phase)
    }
}
