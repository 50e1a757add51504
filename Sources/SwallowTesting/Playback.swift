import Foundation
import Swallow

/// The response of a stub or a recording to one request, as a list of steps and a result.
struct Script: Sendable {
    enum Step: Sendable {
        case gate(Gate)
        case wait(Duration)
        case part(ResponsePart)
    }

    var steps: [Step] = []
    var result: DataTaskResult
    /// The facts of the response. The received bytes aren't counted yet.
    var facts = TransferFacts()

    fileprivate func facts(after position: Int) -> TransferFacts {
        var facts = facts
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
        let play = { @Sendable in
            let script = self.script(context)
            self.state.withLock { $0.script = script }
            self.play(script, on: context.clock ?? .system)
        }
        if request.streamedBody?.isAsynchronous == true {
            // The code that yields the request body's bytes may need the thread that called `resume()`.
            Thread.detachNewThread(play)
        } else {
            play()
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
    /// Runs steps until the next wait. A loop replaces recursion, because thousands of parts may pass an open gate.
    private func play(_ script: Script, on clock: any ServiceClock) {
        while let (step, position) = nextStep(of: script) {
            let proceed = { @Sendable in self.play(script, on: clock) }
            switch step {
            case .part(let part): output.receive(part)
            case .gate(let gate): if let wait = gate.enter(proceed) { return store(wait, at: position) }
            case .wait(let time): return store(clock.schedule(after: time, proceed), at: position)
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

    /// Stores a wait, unless another thread has already continued after it.
    private func store(_ wait: ScheduledWork, at position: Int) {
        // The earlier wait is released outside the lock.
        _ = state.withLock { $0.pendingWait.store(wait, if: $0.position == position) }
        if !output.isOpen { wait.cancel() }
    }
}
