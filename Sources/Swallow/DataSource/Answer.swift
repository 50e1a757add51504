import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A data task's answer: given once, and not while the task is suspended.
final class Answer: Sendable {
    typealias Completion = @Sendable (Data?, URLResponse?, (any Error)?) -> Void

    private enum State: Sendable {
        case due(Completion, isSuspended: Bool)
        /// It came while the task was suspended.
        case held(Completion, Data?, URLResponse?, (any Error)?)
        case given
    }

    private let state: Lock<State>

    init(_ completion: @escaping Completion) {
        state = Lock(.due(completion, isSuspended: false))
    }

    /// Whether there is still something to do for it.
    var isDue: Bool {
        state.withLock { if case .due = $0 { true } else { false } }
    }

    /// Gives the answer, or keeps it until `resume()`; the first one counts.
    func give(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) {
        let completion: Completion? = state.withLock { state in
            guard case .due(let completion, let isSuspended) = state else { return nil }
            state = isSuspended ? .held(completion, data, response, error) : .given
            return isSuspended ? nil : completion
        }
        completion?(data, response, error)
    }

    /// Gives an error at once, suspended or not, unless an answer was given before.
    func end(with error: URLError) {
        let completion: Completion? = state.withLock { state in
            defer { state = .given }
            switch state {
            case .due(let completion, _), .held(let completion, _, _, _): return completion
            case .given: return nil
            }
        }
        completion?(nil, nil, error)
    }

    func suspend() {
        state.withLock { state in
            if case .due(let completion, _) = state { state = .due(completion, isSuspended: true) }
        }
    }

    func resume() {
        let give: (() -> Void)? = state.withLock { state in
            switch state {
            case .due(let completion, _):
                state = .due(completion, isSuspended: false)
                return nil
            case .held(let completion, let data, let response, let error):
                state = .given
                return { completion(data, response, error) }
            case .given: return nil
            }
        }
        give?()
    }
}
