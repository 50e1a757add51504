import Foundation
import Swallow

/// Holds the answers of stubs until a test lets them go.
///
/// ```swift
/// let gate = Gate()
/// stub.stub(.GET, "/stores", .json([]).held(by: gate))
/// let task = service.GET("/stores")
/// try await gate.arrivals()
/// #expect(task.state == .running)
/// gate.open()
/// ```
///
/// Any thread may use it. An answer that was held comes on the thread that opens the gate, before that call returns.
public final class Gate: Sendable {
    private struct Visitor: Sendable {
        let id: Int
        let pass: @Sendable () -> Void
    }

    private struct State: AwaitedCount {
        var isOpen = false
        /// How many of the next visitors may pass.
        var passes = 0
        var visitors: [Visitor] = []
        var watchers = Watchers()
        var arrivals = 0

        var awaitedCount: Int { arrivals }

        func shortfall(_ count: Int, within limit: Duration) -> CountNotReached {
            CountNotReached(
                expected: count, count: arrivals,
                description: "\(arrivals) of \(count) requests have come to the gate after \(limit)")
        }
    }

    private let state = Lock(State())

    /// Makes a gate that is shut.
    public init() {}

    /// How many answers it holds.
    public var waiting: Int { state.withLock { $0.visitors.count } }

    /// Lets all waiting answers pass, in the order in which they came, and all later ones, too.
    public func open() {
        let visitors = state.withLock { state in
            state.isOpen = true
            defer { state.visitors = [] }
            return state.visitors
        }
        for visitor in visitors { visitor.pass() }
    }

    /// Lets a number of answers pass: those that have waited longest, then the next ones to come. The gate stays shut
    /// for all others. A count of zero or less does nothing.
    public func open(next count: Int) {
        guard count > 0 else { return }
        let visitors = state.withLock { state in
            let passing = state.visitors.prefix(count)
            state.visitors.removeFirst(passing.count)
            state.passes = state.passes.addingReportingOverflow(count - passing.count).partialValue
            return passing
        }
        for visitor in visitors { visitor.pass() }
    }

    /// Waits until so many requests have come to the gate since it was made, whether they were let go or not; for five minutes
    /// at most.
    ///
    /// - Throws: an error with both counts then; `CancellationError` if the Swift task is cancelled before.
    public func arrivals(_ count: Int = 1) async throws {
        try await arrivals(count, within: .seconds(300))
    }

    /// Waits as ``arrivals(_:)`` does, but for at most this much real time.
    public func arrivals(_ count: Int, within limit: Duration) async throws {
        try await state.reaches(count, within: limit)
    }

    /// Comes to the gate, and passes now or later.
    ///
    /// - Returns: cancels the visit, if the gate still holds it.
    func enter(_ pass: @escaping @Sendable () -> Void) -> ScheduledWork {
        let (id, passes, watchers) = state.withLock { state -> (Int, Bool, [Watchers.Watcher]) in
            state.arrivals += 1
            let id = state.arrivals
            let passes = state.isOpen || state.passes > 0
            if !passes {
                state.visitors.append(Visitor(id: id, pass: pass))
            } else if !state.isOpen {
                state.passes -= 1
            }
            return (id, passes, state.watchers.take(at: state.arrivals))
        }
        for watcher in watchers { watcher.goOn() }
        if passes { pass() }
        return ScheduledWork { [weak self] in
            // Released outside the lock.
            _ = self?.state.withLock { state in
                let index = state.visitors.firstIndex { $0.id == id }
                return index.map { state.visitors.remove(at: $0) }
            }
        }
    }
}
