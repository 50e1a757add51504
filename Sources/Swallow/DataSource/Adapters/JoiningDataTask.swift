import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A task that joins the exchange of its request when it is first resumed, and leaves it at its end.
final class JoiningDataTask: DataTask {
    enum State: Sendable {
        case created
        case joined(JointExchange.Place)
        case cancelled
    }

    private let key: CoalescingKey
    private let base: any SessionDataTaskDataSource
    private let exchanges: CoalescedExchanges
    private let outbox: Outbox<State>

    init(
        _ key: CoalescingKey, _ base: any SessionDataTaskDataSource, _ exchanges: CoalescedExchanges,
        _ completion: @escaping PartQueue.Completion
    ) {
        self.key = key
        self.base = base
        self.exchanges = exchanges
        outbox = Outbox(.created, completion)
    }

    deinit {
        place?.leaveIfSuspended()
    }

    func resume() {
        // The place changes under the lock, as in suspend(): so the completion is held back exactly while the place is
        // suspended.
        let (place, isNew) = outbox.change(isOwnCall: true) { state, queue -> (JointExchange.Place?, Bool) in
            queue.resume()
            switch state {
            case .created:
                let place = queue.isStreamed ? alone() : exchanges.join(key, outbox)
                state = .joined(place)
                return (place, place.isFirst)
            case .joined(let place):
                place.resume()
                return (place, false)
            case .cancelled: return (nil, false)
            }
        }
        guard let place else { return }
        if isNew { place.exchange.send(key.request, to: base) } else { place.exchange.sendSignals() }
    }

    func suspend() {
        let place = outbox.change { state, queue -> JointExchange.Place? in
            guard case .joined(let place) = state else { return nil }
            queue.suspend()
            place.suspend()
            return place
        }
        place?.exchange.sendSignals()
    }

    func cancel() {
        let previous = outbox.change { state, queue in
            queue.fail(with: URLError(.cancelled))
            defer { state = .cancelled }
            return state
        }
        if case .joined(let place) = previous { place.leave() }
    }

    func stream(to receiver: @escaping @Sendable (ResponsePart) -> Void) {
        let (place, alone) = outbox.change(isOwnCall: true) {
            state, queue -> (JointExchange.Place?, JointExchange.Place?) in
            guard queue.stream(to: receiver), case .joined(let place) = state else { return (nil, nil) }
            if exchanges.close(key, place) { return (place, nil) }
            let alone = self.alone()
            if queue.isSuspended { alone.suspend() }
            state = .joined(alone)
            return (place, alone)
        }
        guard let place else { return }
        guard let alone else { return place.exchange.stream(to: outbox) }
        // If the shared exchange is ending already, the task takes that end.
        if place.leave() { alone.exchange.send(key.request, to: base) } else { alone.leave() }
    }

    /// A place in an exchange of its own, which no other task can join.
    private func alone() -> JointExchange.Place {
        let place = JointExchange.opened(by: outbox) { _ in }
        place.exchange.stream(to: outbox)
        return place
    }

    var transferProgress: TransferProgress { place?.exchange.progress ?? TransferProgress() }
    var transferMetrics: TransferMetrics? { place?.exchange.report?.metrics }
    var trailers: Headers { place?.exchange.report?.trailers ?? [:] }

    private var place: JointExchange.Place? {
        outbox.withState { state in if case .joined(let place) = state { place } else { nil } }
    }
}
