import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Plays an answer, whose events are due at their times on a clock.
///
/// What the clock makes due is given on its thread. The end of an answer that nobody takes in parts and that takes no
/// time is given inside `resume()`.
final class ReplayDataTask: DataTask {
    private struct State: Sendable {
        var wasStarted = false
        /// How many events the time has come for.
        var given = 0
        var timer: ScheduledWork?
    }

    private let answer: ReplayAnswer
    private let isPaced: Bool
    private let clock: any ServiceClock
    private let outbox: Outbox<State>

    init(
        _ answer: ReplayAnswer, isPaced: Bool, clock: any ServiceClock,
        _ completion: @escaping PartQueue.Completion
    ) {
        self.answer = answer
        self.isPaced = isPaced
        self.clock = clock
        outbox = Outbox(State(), completion)
    }

    func resume() {
        let isFirst = outbox.change(isOwnCall: true) { state, queue in
            queue.resume()
            defer { state.wasStarted = true }
            return !state.wasStarted
        }
        if isFirst { play(until: .zero, isOwnCall: true) }
    }

    func suspend() {
        outbox.change(isOwnCall: true) { $1.suspend() }
    }

    func cancel() {
        let timer = outbox.change(isOwnCall: true) { state, queue in
            queue.fail(with: URLError(.cancelled))
            return state.timer.take()
        }
        timer?.cancel()
    }

    func stream(to receiver: @escaping @Sendable (ResponsePart) -> Void) {
        outbox.change(isOwnCall: true) { state, queue in
            guard queue.stream(to: receiver) else { return }
            for part in answer.parts(in: 0..<state.given) { queue.add(part) }
        }
    }

    var transferProgress: TransferProgress {
        let given = outbox.read { state, _ in state.given }
        return TransferProgress(
            sent: answer.metrics.bytesSent, received: Int64(answer.body(in: 0..<given).count),
            expectedToSend: answer.metrics.bytesSent,
            expectedToReceive: answer.head == nil ? nil : Int64(answer.size))
    }

    var transferMetrics: TransferMetrics? { answer.metrics }
    var trailers: Headers { answer.trailers }
}

extension ReplayDataTask {
    /// Gives what is due by a time, counted from the request, and waits for the next event.
    private func play(until time: Duration, isOwnCall: Bool = false) {
        let next = outbox.change(isOwnCall: isOwnCall) { state, queue -> Duration? in
            let start = state.given
            let due = answer.events[start...].prefix { !isPaced || $0.time <= time }
            state.given = due.endIndex
            for part in answer.parts(in: start..<state.given) { queue.add(part) }
            if state.given < answer.events.count { return answer.events[state.given].time }
            queue.end(with: answer.ending(isStreamed: queue.isStreamed))
            return nil
        }
        if let next { wait(until: next, from: time) }
    }

    private func wait(until next: Duration, from time: Duration) {
        let timer = clock.schedule(after: next - time) { self.play(until: next) }
        let isNeeded = outbox.change(isOwnCall: true) { state, queue in
            // Where the time has come already, another one waits.
            if state.given < answer.events.count, answer.events[state.given].time == next {
                state.timer = timer
            }
            return queue.isOpen
        }
        if !isNeeded { timer.cancel() }
    }
}

extension ReplayAnswer {
    /// The parts among some of the events.
    fileprivate func parts(in range: Range<Int>) -> [ResponsePart] {
        events[range].compactMap { if case .part(let part) = $0.event { part } else { nil } }
    }

    /// The bytes among some of the events.
    fileprivate func body(in range: Range<Int>) -> Data {
        parts(in: range).reduce(into: Data()) { if case .bytes(let bytes) = $1 { $0.append(bytes) } }
    }

    /// What the completion is called with; what was given in parts isn't given again.
    fileprivate func ending(isStreamed: Bool) -> Ending {
        if case .end(let error?) = events.last?.event { return Ending(nil, head, error) }
        return Ending(isStreamed ? Data() : body(in: events.indices), head, nil)
    }
}
