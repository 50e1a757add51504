import Foundation
import Swallow

/// A clock that stands still until a test advances it.
///
/// ```swift
/// let clock = ManualClock()
/// service.clock = clock
/// let task = service.GET("/slow", options: [.timeout(.seconds(30))])
/// clock.advance(by: .seconds(30))
/// await #expect(throws: ServiceError.self) { try await task.data }
/// ```
///
/// Any thread may call the clock's functions.
public final class ManualClock: ServiceClock {
    private struct State: AwaitedState {
        var now: Date
        var work = DateOrderedQueue<@Sendable () -> Void>()
        var changes = 0
        var waiters: [UUID: Waiter<State>] = [:]

        func shortfall(_ count: Int, within limit: Duration) -> CheckFailure {
            let delays = work.dates.prefix(20).map { "in \(max(0, $0.timeIntervalSince(now))) s" }
            let rest = work.count > delays.count ? [" and others"] : []
            let list = delays.isEmpty ? "" : ", due " + delays.joined(separator: ", ") + rest.joined()
            return CheckFailure(
                description: "\(work.count) of \(count) actions are scheduled after \(limit)\(list)")
        }

        mutating func takeWork(by end: Date) -> (@Sendable () -> Void)? {
            guard let date = work.first, date <= end else { return nil }
            now = max(now, date)
            changes += 1
            return work.removeFirst()
        }
    }

    private let state: Lock<State>

    /// Creates a clock that shows a time, by default 2030-01-01 00:00 UTC.
    public init(now: Date = Date(timeIntervalSince1970: 1_893_456_000)) {
        state = Lock(State(now: now))
    }

    /// The time that the clock shows. It changes only when a test advances the clock.
    public var now: Date { state.withLock { $0.now } }

    /// The number of scheduled actions, such as timeouts and retries, that haven't run yet.
    public var pending: Int { state.withLock { $0.work.count } }

    /// Waits until this many actions are scheduled, for example until a request has failed and its retry is scheduled.
    ///
    /// ```swift
    /// try await clock.pending(atLeast: 1)
    /// #expect(task.state == .running)
    /// ```
    ///
    /// All actions on the clock count, including timeouts. If only a task's completion matters, use
    /// ``run(until:within:)-(ServiceTask,_)``, which needs no count.
    ///
    /// - Parameters:
    ///   - count: The minimum number of actions.
    ///   - limit: The maximum real time to wait, by default five minutes.
    /// - Throws: After the limit, an error that describes the scheduled actions. If cancelled, `CancellationError`.
    public func pending(atLeast count: Int, within limit: Duration = .seconds(300)) async throws {
        try await state.wait(within: limit) { state in
            state.work.count >= count
        } otherwise: { state in
            state.shortfall(count, within: limit)
        }
    }

    /// Advances the time, and runs the actions that become due. They run on this thread, before the call returns.
    ///
    /// The actions run in the order of their due times. During each action, the clock shows its due time. Actions that
    /// they schedule also run if they become due. A negative duration counts as zero.
    public func advance(by duration: Duration) {
        let end = now.addingTimeInterval(max(0, duration.seconds))
        while let work = state.withLock({ $0.takeWork(by: end) }) { work() }
        state.withLock { $0.now = max($0.now, end) }
    }

    /// Stores an action. ``advance(by:)`` or `run(until:)` runs it when the clock reaches the end of the delay.
    public func schedule(
        after delay: Duration, _ action: @escaping @Sendable () -> Void
    ) -> ScheduledWork {
        let place = state.update { state in
            state.changes += 1
            var date = state.now.addingTimeInterval(max(0, delay.seconds))
            // Even a delay below a date's precision advances the clock. Otherwise, `advance(by:)` might never return.
            if delay > .zero, date <= state.now {
                date = Date(timeIntervalSinceReferenceDate: state.now.timeIntervalSinceReferenceDate.nextUp)
            }
            return state.work.add(action, date: date)
        }
        return ScheduledWork { [weak self] in
            // The closure returns the action, so that it is released outside the lock.
            _ = self?.state.withLock { state in
                state.changes += 1
                return state.work.remove(place)
            }
        }
    }
}

extension ManualClock {
    /// Advances the time from one due action to the next, until a task has completed or no action is left.
    ///
    /// ```swift
    /// let report = service.GET("/report", options: [.retry(.standard), .timeout(.seconds(30))])
    /// await clock.run(until: report)
    /// #expect(try await report.text == "done")
    /// ```
    ///
    /// The test needn't know the delays or their number. Before each step, the clock waits until no action has been
    /// scheduled or cancelled for at least 25 ms, in which the main actor also runs waiting work. So the main thread must
    /// not be blocked. The clock doesn't wait for a slow server or a closed gate, so a timeout may run before their
    /// response arrives.
    ///
    /// - Parameters:
    ///   - task: The task, which must have been resumed.
    ///   - limit: The maximum real time to wait, by default five minutes.
    /// - Returns: Whether the task has completed.
    @discardableResult
    public func run(until task: ServiceTask, within limit: Duration = .seconds(300)) async -> Bool {
        await run(within: limit) { task.state == .completed }
    }

    /// Advances the time from one due action to the next, until a Swift task has completed or no action is left.
    ///
    /// - Parameters:
    ///   - task: The Swift task.
    ///   - limit: The maximum real time to wait, by default five minutes.
    /// - Returns: Whether the task has completed.
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

    /// Waits until no action was scheduled or cancelled for `quietTurns`. Returns `false` if `run` should stop.
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

    /// Queued work runs late if more threads are busy than the machine has cores, so this number is high.
    private static let quietTurns = 25

    /// Waits until Swift's thread pool, the main actor and a dispatch queue have run work. With a low priority, this
    /// could take minutes.
    private static func turn() async {
        await withCheckedContinuation { continuation in
            _ = Task.detached(priority: .medium) { continuation.resume() }
        }
        await MainActor.run {}
        await withCheckedContinuation { continuation in
            DispatchQueue.userInitiated.asyncAfter(deadline: .now() + .milliseconds(1)) {
                continuation.resume()
            }
        }
    }
}

/// Work in the order of its dates. Equal dates keep their insertion order.
private struct DateOrderedQueue<Work: Sendable>: Sendable {
    typealias Place = (date: Date, number: Int)

    private var entries: [(place: Place, work: Work)] = []
    private var lastNumber = 0

    var count: Int { entries.count }

    var dates: [Date] { entries.map(\.place.date) }

    var first: Date? { entries.first?.place.date }

    mutating func add(_ work: Work, date: Date) -> Place {
        lastNumber += 1
        let place = (date: date, number: lastNumber)
        entries.insert((place, work), at: index(of: place))
        return place
    }

    mutating func remove(_ place: Place) -> Work? {
        let index = index(of: place)
        guard index < entries.count, entries[index].place == place else { return nil }
        return entries.remove(at: index).work
    }

    mutating func removeFirst() -> Work { entries.removeFirst().work }

    /// Returns the index of the first entry that isn't before a place.
    private func index(of place: Place) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].place < place { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
