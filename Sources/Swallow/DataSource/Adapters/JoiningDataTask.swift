import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A task that joins the exchange of its request when it is first resumed, and has a part in it until its end.
final class JoiningDataTask: DataTask {
    private enum State: Sendable {
        case created
        case joined(JointExchange.Place)
        case cancelled
    }

    private let key: CoalescingKey
    private let base: any SessionDataTaskDataSource
    private let exchanges: CoalescedExchanges
    private let delivery: Lock<Delivery>
    private let state = Lock(State.created)

    init(
        _ key: CoalescingKey, _ base: any SessionDataTaskDataSource, _ exchanges: CoalescedExchanges,
        _ completion: @escaping Completion.Handler
    ) {
        self.key = key
        self.base = base
        self.exchanges = exchanges
        delivery = Lock(Delivery(completion))
    }

    deinit {
        if case .joined(let place) = state.withLock({ $0 }) { place.leaveIfSuspended() }
    }

    func resume() {
        // Under the lock, as in suspend(): a task whose place runs never holds its completion back, and one whose place
        // is suspended always does.
        let (place, isNew, call) = state.withLock { state -> (JointExchange.Place?, Bool, Completion.Call?) in
            let (call, isStreamed) = delivery.withLock { ($0.resume(), $0.isStreamed) }
            switch state {
            case .created:
                let place = isStreamed ? alone() : exchanges.join(key, delivery)
                state = .joined(place)
                return (place, place.isFirst, call)
            case .joined(let place):
                place.resume()
                return (place, false, call)
            case .cancelled: return (nil, false, call)
            }
        }
        call?()
        delivery.deliverSoon()
        guard let place else { return }
        if isNew { place.exchange.send(key.request, to: base) } else { place.exchange.sendSignals() }
    }

    func suspend() {
        let place = state.withLock { state -> JointExchange.Place? in
            guard case .joined(let place) = state else { return nil }
            delivery.suspend()
            place.suspend()
            return place
        }
        place?.exchange.sendSignals()
    }

    func cancel() {
        let previous = state.withLock { state in
            defer { state = .cancelled }
            return state
        }
        delivery.fail(with: URLError(.cancelled))
        if case .joined(let place) = previous { place.leave() }
    }

    func stream(to receiver: @escaping @Sendable (ResponsePart) -> Void) {
        let (place, alone) = state.withLock { state -> (JointExchange.Place?, JointExchange.Place?) in
            guard delivery.withLock({ $0.stream(to: receiver) }), case .joined(let place) = state else {
                return (nil, nil)
            }
            if exchanges.close(key, place) { return (place, nil) }
            let alone = self.alone()
            if delivery.withLock({ $0.isSuspended }) { alone.suspend() }
            state = .joined(alone)
            return (place, alone)
        }
        guard let place else { return }
        guard let alone else { return place.exchange.stream(to: delivery) }
        // Where the end of the shared one is on its way, that is the task's.
        if place.leave() { alone.exchange.send(key.request, to: base) } else { alone.leave() }
    }

    /// A place in an exchange of its own, which nobody else can join.
    private func alone() -> JointExchange.Place {
        let place = JointExchange.opened(by: delivery) { _ in }
        place.exchange.stream(to: delivery)
        return place
    }

    var transferProgress: TransferProgress { exchange?.progress ?? TransferProgress() }
    var transferMetrics: TransferMetrics? { exchange?.report?.metrics }
    var trailers: Headers { exchange?.report?.trailers ?? [:] }

    private var exchange: JointExchange? {
        if case .joined(let place) = state.withLock({ $0 }) { place.exchange } else { nil }
    }
}
