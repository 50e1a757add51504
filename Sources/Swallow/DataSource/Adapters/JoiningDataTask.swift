import Foundation

/// A task that joins an exchange when it is first resumed, and has a part in it until its answer or
/// `cancel()`.
final class JoiningDataTask: DataTask {
    private enum State: Sendable {
        case created
        case joined(JointExchange.Place)
        case cancelled
    }

    private let answer: Answer
    private let join: @Sendable (Answer) -> JointExchange.Place
    private let start: @Sendable (JointExchange) -> Void
    private let state = Lock(State.created)

    /// - Parameters:
    ///   - join: finds an exchange, or makes one; called once at most, under this task's lock.
    ///   - start: starts the exchange, if it was made for this task.
    init(
        completion: @escaping Answer.Completion,
        join: @escaping @Sendable (Answer) -> JointExchange.Place,
        start: @escaping @Sendable (JointExchange) -> Void
    ) {
        answer = Answer(completion)
        self.join = join
        self.start = start
    }

    deinit {
        if case .joined(let place) = state.withLock({ $0 }) { place.leaveIfSuspended() }
    }

    func resume() {
        let (place, isNew) = state.withLock { state -> (JointExchange.Place?, Bool) in
            switch state {
            case .created:
                let place = join(answer)
                state = .joined(place)
                return (place, place.isFirst)
            case .joined(let place):
                place.resume()
                return (place, false)
            case .cancelled: return (nil, false)
            }
        }
        answer.resume()
        guard let place else { return }
        if isNew { start(place.exchange) } else { place.exchange.sendSignals() }
    }

    func suspend() {
        let place = state.withLock { state -> JointExchange.Place? in
            guard case .joined(let place) = state else { return nil }
            // Under the lock, so that a task whose place runs never holds its answer back.
            answer.suspend()
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
        answer.end(with: URLError(.cancelled))
        if case .joined(let place) = previous { place.leave() }
    }
}
