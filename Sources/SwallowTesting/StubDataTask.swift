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
        /// What the answer waits for: a gate, or its delay.
        var wait: ScheduledWork?
        /// How many gates came before that.
        var gatesPassed = -1
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
        let (completion, wait) = state.withLock { state in
            (state.completion.fail(with: URLError(.cancelled)), state.wait.take())
        }
        wait?.cancel()
        completion?()
    }

    private func send() {
        give(source.send(request), after: 0, on: CurrentClock.value)
    }

    /// Gives the answer once it has passed its gates, after the first ones, and its delay is over.
    private func give(_ answer: StubAnswer, after gates: Int, on clock: any ServiceClock) {
        if gates < answer.gates.count {
            let work = answer.gates[gates].enter { self.give(answer, after: gates + 1, on: clock) }
            wait(for: work, after: gates)
        } else if answer.delay > .zero {
            wait(for: clock.schedule(after: answer.delay) { self.end(with: answer.ending) }, after: gates)
        } else {
            end(with: answer.ending)
        }
    }

    /// Keeps what can be cancelled, unless the answer is farther already: an open gate lets it go at once.
    private func wait(for work: ScheduledWork, after gates: Int) {
        let isNeeded = state.withLock { state in
            guard gates > state.gatesPassed else { return true }
            (state.wait, state.gatesPassed) = (work, gates)
            return state.completion.isDue
        }
        if !isNeeded { work.cancel() }
    }

    private func end(with ending: Ending) {
        let completion = state.withLock { state in
            state.wait = nil
            return state.completion.end(with: ending)
        }
        completion?()
    }
}
