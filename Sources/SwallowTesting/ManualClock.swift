import Foundation
import Swallow

/// A clock that stands still until a test moves it.
///
/// ```swift
/// let clock = ManualClock()
/// service.clock = clock
/// let task = service.GET("/slow", options: [.timeout(.seconds(30))])
/// clock.advance(by: .seconds(30))
/// await #expect(throws: ServiceError.self) { try await task.data }
/// ```
///
/// Any thread may call it.
public final class ManualClock: ServiceClock {
    private struct Work: Sendable {
        let due: Date
        let action: @Sendable () -> Void
    }

    private struct State: AwaitedCount {
        var now: Date
        var work: [Int: Work] = [:]
        var lastID = 0
        var watchers = Watchers()

        var awaitedCount: Int { work.count }

        /// Takes the work that is due first, by a time; of several at once, what was scheduled first. The time is then
        /// when it is due.
        mutating func takeWork(by end: Date) -> Work? {
            let next = work.filter { $0.value.due <= end }.min {
                ($0.value.due, $0.key) < ($1.value.due, $1.key)
            }
            guard let next else { return nil }
            now = max(now, next.value.due)
            return work.removeValue(forKey: next.key)
        }
    }

    private let state: Lock<State>

    /// Makes a clock that shows a time; by default the same one each time: 2030-01-01 00:00 UTC.
    public init(now: Date = Date(timeIntervalSince1970: 1_893_456_000)) {
        state = Lock(State(now: now))
    }

    /// The time that it shows.
    public var now: Date { state.withLock { $0.now } }

    /// How many actions wait for their time.
    public var pending: Int { state.withLock { $0.work.count } }

    /// Waits until so many actions wait for their time: until a request has failed, for example, and its retry waits.
    ///
    /// ```swift
    /// try await clock.pending(atLeast: 1)
    /// clock.advance(by: .milliseconds(500))
    /// ```
    ///
    /// - Throws: `CancellationError` if the Swift task is cancelled before.
    public func pending(atLeast count: Int) async throws { try await state.reaches(count) }

    /// Moves the time on.
    ///
    /// What is due by then runs before this returns, on this thread, in the order of its time, and sees that time;
    /// what it schedules itself, too. A negative duration counts as zero.
    public func advance(by duration: Duration) {
        let end = now.addingTimeInterval(max(0, duration.seconds))
        while let work = state.withLock({ $0.takeWork(by: end) }) { work.action() }
        state.withLock { $0.now = max($0.now, end) }
    }

    /// Keeps an action until the time is moved past its delay, at the earliest by the next ``advance(by:)``.
    public func schedule(
        after delay: Duration, _ action: @escaping @Sendable () -> Void
    ) -> ScheduledWork {
        let (id, watchers) = state.withLock { state in
            state.lastID += 1
            let due = state.now.addingTimeInterval(max(0, delay.seconds))
            state.work[state.lastID] = Work(due: due, action: action)
            return (state.lastID, state.watchers.take(at: state.work.count))
        }
        for watcher in watchers { watcher.goOn() }
        return ScheduledWork { [weak self] in
            // Released outside the lock.
            _ = self?.state.withLock { $0.work.removeValue(forKey: id) }
        }
    }
}
