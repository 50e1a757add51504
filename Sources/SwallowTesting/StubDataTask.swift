import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request to a ``StubDataSource``.
final class StubDataTask: DataTask {
    private struct State: Sendable {
        var delivery: Delivery
        var wasSent = false
        /// What the answer waits for: a gate, or its delay.
        var wait: ScheduledWork?
        /// How many gates came before that.
        var gatesPassed = -1
        /// A body that comes in parts, once its head is here, and how many of them are.
        var body: (parts: StubParts, given: Int)?
    }

    private let source: StubDataSource
    private let request: URLRequest
    private let state: Lock<State>

    init(source: StubDataSource, request: URLRequest, completion: @escaping Completion.Handler) {
        self.source = source
        self.request = request
        state = Lock(State(delivery: Delivery(completion)))
    }

    func resume() {
        var sends = false
        change { state in
            sends = !state.wasSent && state.delivery.isDue
            state.wasSent = true
            return state.delivery.resume()
        }
        guard sends else { return }
        let (clock, terms) = (CurrentClock.value, SenderTerms.current)
        if request.streamedBody?.isAsynchronous == true {
            // Its bytes may need the thread that this is called on.
            Thread.detachNewThread { self.give(self.source.send(self.request, terms), after: 0, on: clock) }
        } else {
            give(source.send(request, terms), after: 0, on: clock)
        }
    }

    func suspend() {
        change { state in
            if state.wasSent { state.delivery.suspend() }
            return nil
        }
    }

    func cancel() {
        var wait: ScheduledWork?
        change { state in
            wait = state.wait.take()
            return state.delivery.fail(with: URLError(.cancelled))
        }
        wait?.cancel()
        request.cancelStreamedBody()
    }

    func stream(to receiver: @escaping @Sendable (ResponsePart) -> Void) {
        change { state in
            guard state.delivery.stream(to: receiver), let (body, given) = state.body else { return nil }
            state.delivery.add(.head(body.head))
            for part in body.parts.prefix(given) { state.delivery.add(.bytes(part)) }
            return nil
        }
    }

    var transferProgress: TransferProgress {
        state.withLock { state in
            guard let (body, given) = state.body else { return TransferProgress() }
            let received = body.parts.prefix(given).reduce(0) { $0 + $1.count }
            let length = body.head.value(forHTTPHeaderField: "Content-Length").flatMap { Int64($0) }
            return TransferProgress(received: Int64(received), expectedToReceive: length)
        }
    }

    /// Makes a change, and the calls that follow from it.
    private func change(_ change: (inout State) -> Completion.Call?) {
        let (call, hasTurn) = state.withLock { state in (change(&state), state.delivery.takeTurn()) }
        call?()
        // Elsewhere, since this may be inside a call of the task's own.
        if hasTurn { DispatchQueue.deliveries.async { self.deliver() } }
    }

    private func deliver() {
        while let call = state.withLock({ $0.delivery.next() }) { call() }
    }
}

// MARK: - The answer

extension StubDataTask {
    /// Gives the answer once it has passed its gates, after the first ones, and its delay is over.
    private func give(_ answer: StubAnswer, after gates: Int, on clock: any ServiceClock) {
        if gates < answer.gates.count {
            let work = answer.gates[gates].enter { self.give(answer, after: gates + 1, on: clock) }
            wait(for: work, after: gates)
        } else if answer.delay > .zero {
            wait(for: clock.schedule(after: answer.delay) { self.give(answer) }, after: gates)
        } else {
            give(answer)
        }
    }

    /// Keeps what can be cancelled, unless the answer is farther already: an open gate lets it go at once.
    private func wait(for work: ScheduledWork, after gates: Int) {
        let isNeeded = state.withLock { state in
            guard gates > state.gatesPassed else { return true }
            (state.wait, state.gatesPassed) = (work, gates)
            return state.delivery.isDue
        }
        if !isNeeded { work.cancel() }
    }

    private func give(_ answer: StubAnswer) {
        guard let parts = answer.parts else { return end(with: answer) }
        change { state in
            state.body = (parts, 0)
            if state.delivery.isStreamed { state.delivery.add(.head(parts.head)) }
            return nil
        }
        guard let gate = parts.gate else {
            for _ in parts.parts { givePart() }
            return end(with: answer)
        }
        givePart(0, gate, answer)
    }

    /// Gives the parts from one on, each once the gate is opened for it.
    private func givePart(_ index: Int, _ gate: Gate, _ answer: StubAnswer) {
        guard index < answer.parts?.parts.count ?? 0 else { return end(with: answer) }
        let step = answer.gates.count + 1 + index
        let work = gate.enter {
            // Not on this stack: an open gate lets thousands pass.
            DispatchQueue.deliveries.async {
                self.givePart()
                self.givePart(index + 1, gate, answer)
            }
        }
        wait(for: work, after: step)
    }

    /// Gives the next part.
    private func givePart() {
        change { state in
            guard let (body, given) = state.body, given < body.parts.count else { return nil }
            if state.delivery.isStreamed { state.delivery.add(.bytes(body.parts[given])) }
            state.body = (body, given + 1)
            return nil
        }
    }

    private func end(with answer: StubAnswer) {
        change { state in
            state.wait = nil
            let streamed = state.delivery.isStreamed ? answer.parts?.ending : nil
            return state.delivery.end(with: streamed ?? answer.ending)
        }
    }
}
