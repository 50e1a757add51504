import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The answer of a stub or a recording to one request: parts and an end, and what each waits for.
final class Script: Sendable {
    enum Step: Sendable {
        /// Goes on once the gate lets it.
        case gate(Gate)
        /// Goes on after a time.
        case wait(Duration)
        case part(ResponsePart)
    }

    private let steps: [Step]
    /// The end of a task that was asked for parts, and of one that gives the whole.
    private let (streamedEnding, ending): (Ending, Ending)
    /// The progress before the response's first part.
    let progress: TransferProgress
    let metrics: TransferMetrics?
    let trailers: Headers

    init(
        _ steps: [Step], _ ending: Ending, whenStreamed streamedEnding: Ending,
        progress: TransferProgress = TransferProgress(), metrics: TransferMetrics? = nil,
        trailers: Headers = [:]
    ) {
        (self.steps, self.ending, self.streamedEnding) = (steps, ending, streamedEnding)
        (self.progress, self.metrics, self.trailers) = (progress, metrics, trailers)
    }
}

/// Plays a script on a clock, from the first `resume()` on.
///
/// Steps that wait for nothing run inside `resume()`, which delivers parts on another thread. Steps after a wait run on the
/// thread of the gate or the clock that ended it.
final class ScriptedDataTask: DataTask {
    private struct State: Sendable {
        var wasStarted = false
        /// Nil until the request is sent.
        var script: Script?
        /// How many steps were taken, and the last wait that is over.
        var (position, passed) = (0, 0)
        /// Whether a thread takes steps, or will once the wait that it begins is over; at first that of `resume()`.
        var isPlaying = true
        var wait: ScheduledWork?
    }

    private let request: URLRequest
    private let script: @Sendable (SenderTerms) -> Script
    private let outbox: Outbox<State>

    /// - Parameter script: makes the script for the request once it is sent.
    init(
        _ request: URLRequest, _ completion: @escaping PartQueue.Completion,
        _ script: @escaping @Sendable (SenderTerms) -> Script
    ) {
        self.request = request
        self.script = script
        outbox = Outbox(State(), completion)
    }

    func resume() {
        let (starts, goesOn) = outbox.update { state, queue in
            defer { state.wasStarted = true }
            return (!state.wasStarted && queue.isOpen, state.wasStarted)
        }
        if goesOn { outbox.change(isOwnCall: true) { $1.resume() } }
        guard starts else { return }
        let terms = SenderTerms.current
        if request.streamedBody?.isAsynchronous == true {
            // The body's bytes may need the thread that called this.
            Thread.detachNewThread { self.start(terms, isOwnCall: false) }
        } else {
            start(terms, isOwnCall: true)
        }
    }

    func suspend() {
        outbox.change(isOwnCall: true) { if $0.wasStarted { $1.suspend() } }
    }

    func cancel() {
        let wait = outbox.change(isOwnCall: true) { state, queue in
            queue.fail(with: URLError(.cancelled))
            return state.wait.take()
        }
        wait?.cancel()
        request.cancelStreamedBody()
    }

    func stream(to receiver: @escaping @Sendable (ResponsePart) -> Void) {
        outbox.change(isOwnCall: true) { state, queue in
            guard queue.stream(to: receiver) else { return }
            for part in state.script?.parts(before: state.position) ?? [] { queue.add(part) }
        }
    }

    var transferProgress: TransferProgress {
        outbox.withState { state in
            guard let script = state.script else { return TransferProgress() }
            let parts = script.parts(before: state.position)
            var progress = script.progress
            // The head says how long the body is.
            if parts.isEmpty { progress.expectedToReceive = nil }
            for case .bytes(let bytes) in parts { progress.received += Int64(bytes.count) }
            return progress
        }
    }

    var transferMetrics: TransferMetrics? { outbox.withState { state in state.script?.metrics } }
    var trailers: Headers { outbox.withState { state in state.script?.trailers ?? [:] } }
}

extension ScriptedDataTask {
    private func start(_ terms: SenderTerms, isOwnCall: Bool) {
        play(script(terms), on: terms.clock ?? .system, isOwnCall: isOwnCall)
    }

    /// Takes all steps that wait for nothing. A wait that is over at once goes on in the loop: thousands may pass an open gate.
    ///
    /// - Parameter script: the script to begin with; nil goes on with the one that is there.
    private func play(_ script: Script? = nil, on clock: any ServiceClock, isOwnCall: Bool) {
        var isOver = true
        while isOver {
            let (step, position) = outbox.change(isOwnCall: isOwnCall) { state, queue in
                if let script { state.script = script }
                return (state.script?.play(from: &state.position, to: &queue), state.position)
            }
            let goOn = { @Sendable in self.pass(position, on: clock) }
            switch step {
            case .gate(let gate): isOver = !keep(gate.enter(goOn), at: position)
            case .wait(let time): isOver = !keep(clock.schedule(after: time, goOn), at: position)
            case .part, nil: isOver = false
            }
        }
    }

    /// Keeps a wait, so that it can be cancelled.
    ///
    /// - Returns: false if the wait is over already; then this thread goes on.
    private func keep(_ wait: ScheduledWork, at position: Int) -> Bool {
        // The former wait is returned, so that it is released outside the lock.
        let (isWaiting, isOpen, _) = outbox.change(isOwnCall: true) { state, queue in
            let former = state.wait
            state.isPlaying = state.passed == position
            if !state.isPlaying { state.wait = wait }
            return (!state.isPlaying, queue.isOpen, former)
        }
        if !isOpen { wait.cancel() }
        return isWaiting
    }

    /// Goes on after a wait, unless the thread that began it does.
    private func pass(_ position: Int, on clock: any ServiceClock) {
        let plays = outbox.change(isOwnCall: true) { state, _ in
            state.passed = position
            defer { state.isPlaying = true }
            return !state.isPlaying
        }
        if plays { play(on: clock, isOwnCall: false) }
    }
}

extension Script {
    /// Delivers the parts up to the next wait, or to the end.
    ///
    /// - Returns: the wait; nil at the end.
    fileprivate func play(from position: inout Int, to queue: inout PartQueue) -> Step? {
        while position < steps.count {
            position += 1
            switch steps[position - 1] {
            case .part(let part): queue.add(part)
            case .gate, .wait: return steps[position - 1]
            }
        }
        queue.end(with: queue.isStreamed ? streamedEnding : ending)
        return nil
    }

    fileprivate func parts(before position: Int) -> [ResponsePart] {
        steps.prefix(position).compactMap { if case .part(let part) = $0 { part } else { nil } }
    }
}
