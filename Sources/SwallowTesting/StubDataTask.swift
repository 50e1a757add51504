import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request to a ``StubDataSource``.
final class StubDataTask: DataTask {
    private struct State: Sendable {
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
    private let outbox: Outbox<State>

    init(source: StubDataSource, request: URLRequest, completion: @escaping PartQueue.Completion) {
        self.source = source
        self.request = request
        outbox = Outbox(State(), completion)
    }

    func resume() {
        let sends = change { state, queue in
            queue.resume()
            defer { state.wasSent = true }
            return !state.wasSent && queue.isOpen
        }
        guard sends else { return }
        let (clock, terms) = (SenderTerms.currentClock, SenderTerms.current)
        if request.streamedBody?.isAsynchronous == true {
            // Its bytes may need the thread that this is called on.
            Thread.detachNewThread { self.give(self.source.send(self.request, terms), after: 0, on: clock) }
        } else {
            give(source.send(request, terms), after: 0, on: clock)
        }
    }

    func suspend() {
        change { if $0.wasSent { $1.suspend() } }
    }

    func cancel() {
        let wait = change { state, queue in
            queue.fail(with: URLError(.cancelled))
            return state.wait.take()
        }
        wait?.cancel()
        request.cancelStreamedBody()
    }

    func stream(to receiver: @escaping @Sendable (ResponsePart) -> Void) {
        change { state, queue in
            guard queue.stream(to: receiver), let (body, given) = state.body else { return }
            queue.add(.head(body.head))
            for part in body.parts.prefix(given) { queue.add(.bytes(part)) }
        }
    }

    var transferProgress: TransferProgress {
        outbox.read { state, _ in
            guard let (body, given) = state.body else { return TransferProgress() }
            let received = body.parts.prefix(given).reduce(0) { $0 + $1.count }
            let length = body.head.value(forHTTPHeaderField: "Content-Length").flatMap { Int64($0) }
            return TransferProgress(received: Int64(received), expectedToReceive: length)
        }
    }

    /// Makes a change, which may be inside a function of the task's own: the answer may be given there.
    private func change<Result>(_ change: (inout State, inout PartQueue) -> Result) -> Result {
        outbox.change(isOwnCall: true, change)
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
        let isNeeded = change { state, queue in
            guard gates > state.gatesPassed else { return true }
            (state.wait, state.gatesPassed) = (work, gates)
            return queue.isOpen
        }
        if !isNeeded { work.cancel() }
    }

    private func give(_ answer: StubAnswer) {
        guard let parts = answer.parts else { return end(with: answer) }
        change { state, queue in
            state.body = (parts, 0)
            queue.add(.head(parts.head))
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
        change { state, queue in
            guard let (body, given) = state.body, given < body.parts.count else { return }
            queue.add(.bytes(body.parts[given]))
            state.body = (body, given + 1)
        }
    }

    private func end(with answer: StubAnswer) {
        change { state, queue in
            state.wait = nil
            let streamed = queue.isStreamed ? answer.parts?.ending : nil
            queue.end(with: streamed ?? answer.ending)
        }
    }
}
