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
        var delivery: Delivery
        var wasStarted = false
        /// How many events the time has come for.
        var given = 0
        var timer: ScheduledWork?
    }

    private let answer: ReplayAnswer
    private let isPaced: Bool
    private let clock: any ServiceClock
    private let state: Lock<State>

    init(
        _ answer: ReplayAnswer, isPaced: Bool, clock: any ServiceClock,
        _ completion: @escaping Completion.Handler
    ) {
        self.answer = answer
        self.isPaced = isPaced
        self.clock = clock
        state = Lock(State(delivery: Delivery(completion)))
    }

    func resume() {
        var isFirst = false
        change(isOwnCall: true) { state in
            isFirst = !state.wasStarted
            state.wasStarted = true
            return state.delivery.resume()
        }
        if isFirst { play(until: .zero, isOwnCall: true) }
    }

    func suspend() {
        change(isOwnCall: true) { state in
            state.delivery.suspend()
            return nil
        }
    }

    func cancel() {
        var timer: ScheduledWork?
        change(isOwnCall: true) { state in
            timer = state.timer.take()
            return state.delivery.fail(with: URLError(.cancelled))
        }
        timer?.cancel()
    }

    func stream(to receiver: @escaping @Sendable (ResponsePart) -> Void) {
        change(isOwnCall: true) { state in
            guard state.delivery.stream(to: receiver) else { return nil }
            for part in answer.parts(in: 0..<state.given) { state.delivery.add(part) }
            return nil
        }
    }

    var transferProgress: TransferProgress {
        let given = state.withLock { $0.given }
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
        var next: Duration?
        change(isOwnCall: isOwnCall) { state in
            let start = state.given
            let due = answer.events[start...].prefix { !isPaced || $0.time <= time }
            state.given = due.endIndex
            next = state.given < answer.events.count ? answer.events[state.given].time : nil
            let isStreamed = state.delivery.isStreamed
            if isStreamed { for part in answer.parts(in: start..<state.given) { state.delivery.add(part) } }
            guard next == nil else { return nil }
            return state.delivery.end(with: answer.ending(isStreamed: isStreamed))
        }
        if let next { wait(until: next, from: time) }
    }

    private func wait(until next: Duration, from time: Duration) {
        let timer = clock.schedule(after: next - time) { self.play(until: next) }
        let isNeeded = state.withLock { state in
            // Where the time has come already, another one waits.
            if state.given < answer.events.count, answer.events[state.given].time == next {
                state.timer = timer
            }
            return state.delivery.isDue
        }
        if !isNeeded { timer.cancel() }
    }

    /// Makes a change, and the calls that follow from it.
    ///
    /// - Parameter isOwnCall: whether this is a call of the task's own, in which it calls no receiver.
    private func change(isOwnCall: Bool = false, _ change: (inout State) -> Completion.Call?) {
        let (call, hasTurn) = state.withLock { state in (change(&state), state.delivery.takeTurn()) }
        call?()
        guard hasTurn else { return }
        if isOwnCall { DispatchQueue.deliveries.async { self.deliver() } } else { deliver() }
    }

    private func deliver() {
        while let call = state.withLock({ $0.delivery.next() }) { call() }
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
        if case .end(let error?) = events.last?.event { return .failure(error) }
        return Ending(isStreamed ? Data() : body(in: events.indices), head, nil)
    }
}
