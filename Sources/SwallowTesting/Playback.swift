import Foundation
import Swallow

/// The response of a stub or a recording to one request, as a list of steps and a result.
struct Script: Sendable {
    enum Step: Sendable {
        case gate(Gate)
        case wait(Duration)
        case part(ResponsePart)
    }

    let steps: [Step]
    let result: DataTaskResult
    var progress = TransferProgress()
    var metrics: TransferMetrics?
    var trailers: Headers = [:]

    fileprivate func facts(after position: Int) -> TransferFacts {
        var facts = TransferFacts(progress: progress, metrics: metrics, trailers: trailers)
        var hasPart = false
        for case .part(let part) in steps.prefix(position) {
            hasPart = true
            if case .bytes(let bytes) = part { facts.progress.received += Int64(bytes.count) }
        }
        if !hasPart { facts.progress.expectedToReceive = nil }
        return facts
    }
}

final class Playback: DataTaskOperation {
    private struct State: Sendable {
        var script: Script?
        var position = 0
        var passed = 0
        /// `false` from the moment when a wait is stored until the wait completes.
        var isPlaying = true
        var pendingWait: ScheduledWork?
    }

    private let request: URLRequest
    private let script: @Sendable (TransferContext) -> Script
    private let output: DataTaskOutput
    private let state = Lock(State())

    init(
        _ request: URLRequest, _ output: DataTaskOutput,
        _ script: @escaping @Sendable (TransferContext) -> Script
    ) {
        (self.request, self.output, self.script) = (request, output, script)
    }

    func start(inParts: Bool) {
        let context = TransferContext.current
        if request.streamedBody?.isAsynchronous == true {
            // The code that yields the request body's bytes may need the thread that called `resume()`.
            Thread.detachNewThread { self.play(self.script(context), context) }
        } else {
            play(script(context), context)
        }
    }

    func cancel() {
        state.withLock { $0.pendingWait.take() }?.cancel()
        request.cancelStreamedBody()
    }

    var facts: TransferFacts {
        state.withLock { $0.script?.facts(after: $0.position) } ?? TransferFacts()
    }
}

extension Playback {
    private func play(_ script: Script, _ context: TransferContext) {
        state.withLock { $0.script = script }
        play(script, on: context.clock ?? .system)
    }

    /// Runs steps until the next wait. A loop replaces recursion, because thousands of parts may pass an open gate.
    private func play(_ script: Script, on clock: any ServiceClock) {
        while let (step, position) = nextStep(of: script) {
            let proceed = { @Sendable in self.pass(position, script, on: clock) }
            switch step {
            case .part(let part): output.receive(part)
            case .gate(let gate): if store(gate.enter(proceed), at: position) { return }
            case .wait(let time): if store(clock.schedule(after: time, proceed), at: position) { return }
            }
        }
        output.receive(script.result)
    }

    private func nextStep(of script: Script) -> (Script.Step, position: Int)? {
        state.withLock { state in
            guard state.position < script.steps.count else { return nil }
            state.position += 1
            return (script.steps[state.position - 1], state.position)
        }
    }

    /// Stores a wait. Returns `false` if it has already completed, so that this thread runs the next steps.
    private func store(_ pendingWait: ScheduledWork, at position: Int) -> Bool {
        // The closure returns the earlier wait, so that it is released outside the lock.
        let (isWaiting, _) = state.withLock { state in
            let former = state.pendingWait
            state.isPlaying = state.passed == position
            if !state.isPlaying { state.pendingWait = pendingWait }
            return (!state.isPlaying, former)
        }
        if !output.isOpen { pendingWait.cancel() }
        return isWaiting
    }

    /// Continues after a wait, unless the thread that began the wait hasn't stored it yet. That thread then continues.
    private func pass(_ position: Int, _ script: Script, on clock: any ServiceClock) {
        let plays = state.withLock { state in
            state.passed = position
            defer { state.isPlaying = true }
            return !state.isPlaying
        }
        if plays { play(script, on: clock) }
    }
}
