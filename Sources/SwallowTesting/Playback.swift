import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The response of a stub or a recording to one request: the body parts, the ending, and the waits between them.
struct Script: Sendable {
    enum Step: Sendable {
        case gate(Gate)
        case wait(Duration)
        case part(ResponsePart)
    }

    let steps: [Step]
    let ending: Ending
    /// The progress before the first body part.
    var progress = TransferProgress()
    var metrics: TransferMetrics?
    var trailers: Headers = [:]

    fileprivate func parts(before position: Int) -> [ResponsePart] {
        steps.prefix(position).compactMap { if case .part(let part) = $0 { part } else { nil } }
    }
}

/// Steps before the first wait run inside `resume()`. Later steps run on the thread that ends the wait.
final class Playback: DataTaskOperation {
    private struct State: Sendable {
        /// `nil` until the request is sent.
        var script: Script?
        var position = 0
        /// The position of the last wait that is over.
        var passed = 0
        /// Whether a thread takes steps, or will take steps as soon as its wait is over.
        var isPlaying = true
        var wait: ScheduledWork?
    }

    private let request: URLRequest
    private let script: @Sendable (SenderTerms) -> Script
    private let output: DataTaskOutput
    private let state = Lock(State())

    /// `script` returns the script when the request is sent.
    init(
        _ request: URLRequest, _ output: DataTaskOutput, _ script: @escaping @Sendable (SenderTerms) -> Script
    ) {
        (self.request, self.output, self.script) = (request, output, script)
    }

    func start(inParts: Bool) {
        let terms = SenderTerms.current
        if request.streamedBody?.isAsynchronous == true {
            // The body's bytes may need the thread that called `resume()`.
            Thread.detachNewThread { self.play(self.script(terms), terms) }
        } else {
            play(script(terms), terms)
        }
    }

    func cancel() {
        state.withLock { $0.wait.take() }?.cancel()
        request.cancelStreamedBody()
    }

    var facts: TransferFacts {
        let (script, position) = state.withLock { ($0.script, $0.position) }
        guard let script else { return TransferFacts() }
        let parts = script.parts(before: position)
        var progress = script.progress
        // The head determines the length of the body, so before it the length isn't known.
        if parts.isEmpty { progress.expectedToReceive = nil }
        for case .bytes(let bytes) in parts { progress.received += Int64(bytes.count) }
        return TransferFacts(progress: progress, metrics: script.metrics, trailers: script.trailers)
    }
}

extension Playback {
    private func play(_ script: Script, _ terms: SenderTerms) {
        state.withLock { $0.script = script }
        play(script, on: terms.clock ?? .system)
    }

    /// A wait may be over immediately. This is a loop, because thousands of body parts may pass an open gate.
    private func play(_ script: Script, on clock: any ServiceClock) {
        while let (step, position) = nextStep(of: script) {
            let proceed = { @Sendable in self.pass(position, script, on: clock) }
            switch step {
            case .part(let part): output.receive(part)
            case .gate(let gate): if keep(gate.enter(proceed), at: position) { return }
            case .wait(let time): if keep(clock.schedule(after: time, proceed), at: position) { return }
            }
        }
        output.receive(script.ending)
    }

    private func nextStep(of script: Script) -> (Script.Step, position: Int)? {
        state.withLock { state in
            guard state.position < script.steps.count else { return nil }
            state.position += 1
            return (script.steps[state.position - 1], state.position)
        }
    }

    /// Returns whether to wait. If the wait is already over, this thread takes the next steps.
    private func keep(_ wait: ScheduledWork, at position: Int) -> Bool {
        // The earlier wait is returned, so that it is released outside the lock.
        let (isWaiting, _) = state.withLock { state in
            let former = state.wait
            state.isPlaying = state.passed == position
            if !state.isPlaying { state.wait = wait }
            return (!state.isPlaying, former)
        }
        if !output.isOpen { wait.cancel() }
        return isWaiting
    }

    /// Takes the steps after a wait, unless the thread that began the wait takes them.
    private func pass(_ position: Int, _ script: Script, on clock: any ServiceClock) {
        let plays = state.withLock { state in
            state.passed = position
            defer { state.isPlaying = true }
            return !state.isPlaying
        }
        if plays { play(script, on: clock) }
    }
}
