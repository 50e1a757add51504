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
    private struct State: AwaitedCount {
        var now: Date
        var work = DueQueue<@Sendable () -> Void>()
        /// How often something was scheduled, cancelled or run.
        var changes = 0
        var watchers = Watchers()

        var awaitedCount: Int { work.count }

        func shortfall(_ count: Int, within limit: Duration) -> CountNotReached {
            let delays = work.dates.prefix(20).map { "in \(max(0, $0.timeIntervalSince(now))) s" }
            let rest = work.count > delays.count ? [", and others"] : []
            let list = delays.isEmpty ? "" : ": due " + delays.joined(separator: ", ") + rest.joined()
            return CountNotReached(
                expected: count, count: work.count,
                description: "\(work.count) of \(count) actions wait for their time after \(limit)\(list)")
        }

        /// Takes the first work that is due by a time, and moves the clock to its due date.
        mutating func takeWork(by end: Date) -> (@Sendable () -> Void)? {
            guard let due = work.first, due <= end, let next = work.takeFirst() else { return nil }
            now = max(now, due)
            changes += 1
            return next.work
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

    /// Waits until a number of actions wait for their time: until a request has failed, for example, and its retry
    /// waits.
    ///
    /// ```swift
    /// try await clock.pending(atLeast: 1)
    /// #expect(task.state == .running)
    /// ```
    ///
    /// All actions on the clock count, also a timeout, say. Where only the end of a task matters,
    /// ``run(until:within:)-(ServiceTask,_)`` needs no count.
    ///
    /// - Parameters:
    ///   - count: the least number of actions.
    ///   - limit: of real time; five minutes by default, since machines may be busy.
    /// - Throws: an error with a list of what waits, once the limit is over; `CancellationError` if the Swift task is
    ///   cancelled before.
    public func pending(atLeast count: Int, within limit: Duration = .seconds(300)) async throws {
        try await state.reaches(count, within: limit)
    }

    /// Moves the time on.
    ///
    /// Actions that are due by then run before this returns, on this thread, in order; each one sees its own time on
    /// the clock. So do actions that these schedule. A negative duration counts as zero.
    public func advance(by duration: Duration) {
        let end = now.addingTimeInterval(max(0, duration.seconds))
        while let work = state.withLock({ $0.takeWork(by: end) }) { work() }
        state.withLock { $0.now = max($0.now, end) }
    }

    /// Keeps an action until the time is moved past its delay, at the earliest by the next ``advance(by:)``.
    public func schedule(
        after delay: Duration, _ action: @escaping @Sendable () -> Void
    ) -> ScheduledWork {
        let (id, watchers) = state.withLock { state in
            state.changes += 1
            var due = state.now.addingTimeInterval(max(0, delay.seconds))
            // A delay below a date's precision still moves the clock: work that reschedules itself would never end otherwise.
            if delay > .zero, due <= state.now {
                due = Date(timeIntervalSinceReferenceDate: state.now.timeIntervalSinceReferenceDate.nextUp)
            }
            let id = state.work.add(action, due: due)
            return (id, state.watchers.take(at: state.work.count))
        }
        for watcher in watchers { watcher.goOn() }
        return ScheduledWork { [weak self] in
            // Released outside the lock.
            _ = self?.state.withLock { state in
                state.changes += 1
                return state.work.remove(id)
            }
        }
    }
}

// MARK: - Running

extension ManualClock {
    /// Moves the time on, each time to what is due next, until a task has ended or nothing is left to wait for.
    ///
    /// ```swift
    /// let report = service.GET("/report", options: [.retry(.standard), .timeout(.seconds(30))])
    /// await clock.run(until: report)
    /// #expect(try await report.text == "done")
    /// ```
    ///
    /// The test need not know the delays or their number. The time stands still while work is under way: until the
    /// queues of the process had several turns in which nothing was scheduled. The clock doesn't know of a slow server,
    /// or of a gate that the test holds: a timeout may come first.
    ///
    /// - Parameters:
    ///   - task: the task, which this doesn't resume.
    ///   - limit: of real time; five minutes by default, since machines may be busy.
    /// - Returns: whether the task has ended. Also false where the Swift task that waits is cancelled.
    @discardableResult
    public func run(until task: ServiceTask, within limit: Duration = .seconds(300)) async -> Bool {
        await run(within: limit) { task.state == .completed }
    }

    /// Moves the time on, each time to what is due next, until a Swift task has ended or nothing is left to wait for: one
    /// that awaits a future, or the load of a resource.
    ///
    /// - Parameters:
    ///   - task: the Swift task.
    ///   - limit: of real time; five minutes by default, since machines may be busy.
    /// - Returns: whether the task has ended. Also false where the Swift task that waits is cancelled.
    @discardableResult
    public func run<Success, Failure>(
        until task: Task<Success, Failure>, within limit: Duration = .seconds(300)
    ) async -> Bool {
        let hasEnded = Lock(false)
        let watch = Task {
            _ = await task.result
            hasEnded.withLock { $0 = true }
        }
        defer { watch.cancel() }
        return await run(within: limit) { hasEnded.withLock { $0 } }
    }

    private func run(within limit: Duration, until hasEnded: () -> Bool) async -> Bool {
        let end = ContinuousClock.now + limit
        while await isQuiet(until: end, or: hasEnded) {
            let work = state.withLock { state in state.work.first.flatMap { state.takeWork(by: $0) } }
            guard let work else { break }
            work()
        }
        return hasEnded()
    }

    /// Waits until nothing was scheduled, cancelled or run for some turns of the process's queues.
    ///
    /// - Returns: false where there is nothing more to wait for.
    private func isQuiet(until end: ContinuousClock.Instant, or hasEnded: () -> Bool) async -> Bool {
        var (changes, turns) = (-1, 0)
        while turns < Self.quietTurns {
            if hasEnded() || Task.isCancelled || ContinuousClock.now > end { return false }
            let now = state.withLock { $0.changes }
            turns = now == changes ? turns + 1 : 0
            changes = now
            await Self.turn()
        }
        return !hasEnded()
    }

    /// Enough for work that was begun to have its turn, also with more busy threads than cores.
    private static let quietTurns = 25

    /// Waits behind the work of Swift's pool and of the pipeline's queue, and yields to them for a moment. Not by a lower
    /// priority: on a busy machine, that would wait for minutes.
    private static func turn() async {
        await withCheckedContinuation { continuation in
            _ = Task.detached(priority: .medium) { continuation.resume() }
        }
        await withCheckedContinuation { continuation in
            DispatchQueue.userInitiated.asyncAfter(deadline: .now() + .milliseconds(1)) {
                continuation.resume()
            }
        }
    }
}
