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
    private let completion: Lock<Completion>
    private let state = Lock(State.created)

    init(
        _ key: CoalescingKey, _ base: any SessionDataTaskDataSource, _ exchanges: CoalescedExchanges,
        _ completion: @escaping Completion.Handler
    ) {
        self.key = key
        self.base = base
        self.exchanges = exchanges
        self.completion = Lock(Completion(completion))
    }

    deinit {
        if case .joined(let place) = state.withLock({ $0 }) { place.leaveIfSuspended() }
    }

    func resume() {
        // Under the lock, as in suspend(): a task whose place runs never holds its completion back, and one whose place
        // is suspended always does.
        let (place, isNew, call) = state.withLock { state -> (JointExchange.Place?, Bool, Completion.Call?) in
            let call = completion.withLock { $0.resume() }
            switch state {
            case .created:
                let place = exchanges.join(key, completion)
                state = .joined(place)
                return (place, place.isFirst, call)
            case .joined(let place):
                place.resume()
                return (place, false, call)
            case .cancelled: return (nil, false, call)
            }
        }
        call?()
        guard let place else { return }
        if isNew { place.exchange.send(key.request, to: base) } else { place.exchange.sendSignals() }
    }

    func suspend() {
        let place = state.withLock { state -> JointExchange.Place? in
            guard case .joined(let place) = state else { return nil }
            completion.suspend()
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
        completion.fail(with: URLError(.cancelled))
        if case .joined(let place) = previous { place.leave() }
    }
}
