import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request to a ``StubDataSource``.
///
/// It answers once: whoever moves the state to `ended` calls the completion that was in it, without the lock.
final class StubDataTask: DataTask {
    typealias Completion = @Sendable (Data?, URLResponse?, (any Error)?) -> Void

    private let source: StubDataSource
    private let request: URLRequest
    private let state: Lock<State>

    private enum State: Sendable {
        case created(Completion)
        /// The answer is being found, or waits for its delay.
        case sent(Completion, delay: Task<Void, any Error>?, isSuspended: Bool)
        /// The answer is due, and the task suspended.
        case held(Completion, StubAnswer.Outcome)
        case ended
    }

    init(source: StubDataSource, request: URLRequest, completion: @escaping Completion) {
        self.source = source
        self.request = request
        state = Lock(.created(completion))
    }

    func resume() {
        let next: (() -> Void)? = state.withLock { state in
            switch state {
            case .created(let completion):
                state = .sent(completion, delay: nil, isSuspended: false)
                return send
            case .sent(let completion, let delay, _):
                state = .sent(completion, delay: delay, isSuspended: false)
                return nil
            case .held(let completion, let outcome):
                state = .ended
                return { Self.give(outcome, to: completion) }
            case .ended: return nil
            }
        }
        next?()
    }

    func suspend() {
        state.withLock { state in
            guard case .sent(let completion, let delay, _) = state else { return }
            state = .sent(completion, delay: delay, isSuspended: true)
        }
    }

    func cancel() {
        let (completion, delay): (Completion?, Task<Void, any Error>?) = state.withLock { state in
            defer { state = .ended }
            switch state {
            case .created(let completion), .held(let completion, _): return (completion, nil)
            case .sent(let completion, let delay, _): return (completion, delay)
            case .ended: return (nil, nil)
            }
        }
        delay?.cancel()
        completion?(nil, nil, URLError(.cancelled))
    }

    private func send() {
        let answer = source.send(request)
        if answer.delay == .zero { finish(with: answer.outcome) } else { wait(for: answer) }
    }

    private func wait(for answer: StubAnswer) {
        let delay = Task.after(answer.delay) { self.finish(with: answer.outcome) }
        let isNeeded = state.withLock { state in
            guard case .sent(let completion, _, let isSuspended) = state else { return false }
            state = .sent(completion, delay: delay, isSuspended: isSuspended)
            return true
        }
        if !isNeeded { delay.cancel() }
    }

    private func finish(with outcome: StubAnswer.Outcome) {
        let completion: Completion? = state.withLock { state in
            guard case .sent(let completion, _, let isSuspended) = state else { return nil }
            state = isSuspended ? .held(completion, outcome) : .ended
            return isSuspended ? nil : completion
        }
        if let completion { Self.give(outcome, to: completion) }
    }

    private static func give(_ outcome: StubAnswer.Outcome, to completion: Completion) {
        switch outcome {
        case .success(let (data, response)): completion(data, response, nil)
        case .failure(let error): completion(nil, nil, error)
        }
    }
}
