import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Plays an answer, whose events are due at their times, to a receiver or to the completion alone.
///
/// What the clock makes due is given on its thread; what a call of this task's own makes due is given inside
/// `resume()` while nobody takes parts, and else on a queue.
final class ReplayDataTask: DataTask {
    fileprivate typealias Receiver = @Sendable (ResponsePart) -> Void

    fileprivate struct State: Sendable {
        var events: ArraySlice<(time: Duration, event: ReplayAnswer.Event)>
        /// What is due and wasn't given.
        var due: [ReplayAnswer.Event] = []
        var completion: Completion.Handler?
        var receiver: Receiver?
        var isRunning = false
        var wasStarted = false
        /// Whether a thread gives what is due.
        var isGiving = false
        var timer: ScheduledWork?
        var progress = TransferProgress()
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
        var state = State(events: answer.events[...], completion: completion)
        state.progress = TransferProgress(
            sent: answer.metrics.bytesSent, expectedToSend: answer.metrics.bytesSent,
            expectedToReceive: answer.head == nil ? nil : Int64(answer.size))
        self.state = Lock(state)
    }

    func resume() {
        let (isFirst, streams) = state.withLock { state in
            defer { (state.isRunning, state.wasStarted) = (true, true) }
            return (!state.wasStarted, state.receiver != nil)
        }
        if isFirst { wait(after: .zero) }
        if streams { giveLater() } else { give(isInside: true) }
    }

    func suspend() { state.withLock { $0.isRunning = false } }

    func cancel() {
        let (completion, timer, receiver) = state.withLock { state in
            state.events = []
            state.due = []
            return (state.completion.take(), state.timer.take(), state.receiver.take())
        }
        timer?.cancel()
        withExtendedLifetime(receiver) { completion?(nil, nil, URLError(.cancelled)) }
    }

    func stream(to receiver: @escaping @Sendable (ResponsePart) -> Void) {
        let begins = state.withLock { state in
            guard state.completion != nil, state.receiver == nil else { return false }
            state.receiver = receiver
            return state.wasStarted
        }
        if begins { giveLater() }
    }

    var transferProgress: TransferProgress { state.withLock { $0.progress } }
    var transferMetrics: TransferMetrics? { answer.metrics }
    var trailers: Headers { answer.trailers }
}

// MARK: - Time

extension ReplayDataTask {
    /// Makes due what the time has come for, and waits for the next event.
    private func wait(after time: Duration) {
        let next = state.withLock { state -> Duration? in
            while let (due, event) = state.events.first, !isPaced || due <= time {
                state.events.removeFirst()
                state.due.append(event)
            }
            return state.events.first?.time
        }
        guard let next else { return }
        let timer = clock.schedule(after: next - time) { [self] in
            wait(after: next)
            give()
        }
        let isNeeded = state.withLock { state in
            state.timer = timer
            return state.completion != nil
        }
        if !isNeeded { timer.cancel() }
    }
}

// MARK: - Giving

extension ReplayDataTask {
    private func giveLater() { Self.queue.async { self.give() } }

    /// Threads of its own, whatever the app's queues are busy with.
    private static let queue = DispatchQueue(label: "swallow.replay", attributes: .concurrent)

    /// Gives what is due, on one thread at a time.
    ///
    /// - Parameter isInside: whether a function of the task's own is running, so that nothing may be given in parts.
    private func give(isInside: Bool = false) {
        var isGiver = false
        while let gift = state.withLock({ $0.next(&isGiver, isInside) }) {
            switch gift {
            case .part(let part, let receiver): receiver(part)
            case .end(let completion, let data, let error, _):
                if let error { completion(nil, nil, error) } else { completion(data, answer.head, nil) }
            }
        }
    }
}

extension ReplayDataTask.State {
    fileprivate enum Gift {
        case part(ResponsePart, ReplayDataTask.Receiver)
        /// The receiver is let go of with it.
        case end(Completion.Handler, Data, (any Error)?, ReplayDataTask.Receiver?)
    }

    fileprivate mutating func next(_ isGiver: inout Bool, _ isInside: Bool) -> Gift? {
        if isGiving, !isGiver { return nil }
        let gift = isRunning && (receiver == nil || !isInside) ? takeGift() : nil
        isGiver = gift != nil
        isGiving = isGiver
        return gift
    }

    private mutating func takeGift() -> Gift? {
        if let receiver, case .part(let part) = due.first {
            due.removeFirst()
            count(part)
            return .part(part, receiver)
        }
        guard case .end(let error) = due.last, let completion = completion.take() else { return nil }
        for case .part(let part) in due { count(part) }
        let data = due.reduce(into: Data()) { if case .part(.bytes(let bytes)) = $1 { $0.append(bytes) } }
        due = []
        return .end(completion, data, error, receiver.take())
    }

    private mutating func count(_ part: ResponsePart) {
        if case .bytes(let data) = part { progress.received += Int64(data.count) }
    }
}
