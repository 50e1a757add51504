import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request to a ``StubDataSource``.
final class StubDataTask: DataTask {
    private struct State: Sendable {
        var completion: Completion
        var wasSent = false
        /// What the answer waits for.
        var delay: ScheduledWork?
    }

    private let source: StubDataSource
    private let request: URLRequest
    private let state: Lock<State>

    init(source: StubDataSource, request: URLRequest, completion: @escaping Completion.Handler) {
        self.source = source
        self.request = request
        state = Lock(State(completion: Completion(completion)))
    }

    func resume() {
        let (completion, sends) = state.withLock { state in
            let sends = !state.wasSent && state.completion.isDue
            state.wasSent = true
            return (state.completion.resume(), sends)
        }
        completion?()
        if sends { send() }
    }

    func suspend() {
        state.withLock { state in
            if state.wasSent { state.completion.suspend() }
        }
    }

    func cancel() {
        let (completion, delay) = state.withLock { state in
            (state.completion.fail(with: URLError(.cancelled)), state.delay.take())
        }
        delay?.cancel()
        completion?()
    }

    private func send() {
        let answer = source.send(request)
        if answer.delay == .zero { end(with: answer.ending) } else { wait(for: answer) }
    }

    private func wait(for answer: StubAnswer) {
        let delay = CurrentClock.value.schedule(after: answer.delay) { self.end(with: answer.ending) }
        let isNeeded = state.withLock { state in
            state.delay = delay
            return state.completion.isDue
        }
        if !isNeeded { delay.cancel() }
    }

    private func end(with ending: Ending) {
        let completion = state.withLock { state in
            state.delay = nil
            return state.completion.end(with: ending)
        }
        completion?()
    }
}
