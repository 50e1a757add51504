import Foundation
import Swallow

/// Holds responses until a test releases them.
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
/// Any thread may use a gate. `open()` usually delivers held stub responses on the calling thread before it returns.
public final class Gate: Sendable {
    private struct State: AwaitedState {
        var isOpen = false
        var passes = 0
        var visitors: [(id: Int, pass: @Sendable () -> Void)] = []
        var arrivals = 0
        var waiters: [UUID: Waiter<State>] = [:]
    }

    private let state = Lock(State())

    /// Creates a closed gate.
    public init() {}

    /// The number of responses, or parts of them, that the gate holds.
    public var waiting: Int { state.withLock { $0.visitors.count } }

    /// Releases all held responses in arrival order, and lets all later ones pass.
    public func open() {
        let visitors = state.withLock { state in
            state.isOpen = true
            defer { state.visitors = [] }
            return state.visitors
        }
        for visitor in visitors { visitor.pass() }
    }

    /// Releases the next `count` responses, or parts of them, which may arrive later. A count below 1 does nothing.
    public func open(next count: Int) {
        guard count > 0 else { return }
        let visitors = state.withLock { state in
            let passing = state.visitors.prefix(count)
            state.visitors.removeFirst(passing.count)
            state.passes += min(count - passing.count, .max - state.passes)
            return passing
        }
        for visitor in visitors { visitor.pass() }
    }

    /// Waits until this many responses, or parts of them, have reached the gate, including the released ones.
    ///
    /// - Throws: An error with the expected and the actual count after five minutes, or `CancellationError`.
    public func arrivals(_ count: Int = 1) async throws {
        try await arrivals(count, within: .seconds(300))
    }

    /// Waits like ``arrivals(_:)``, but for at most `limit` of real time.
    public func arrivals(_ count: Int, within limit: Duration) async throws {
        try await state.wait(within: limit) { state in
            state.arrivals >= count
        } otherwise: { state in
            CheckFailure(
                description: "\(state.arrivals) of \(count) requests have arrived at the gate after \(limit)")
        }
    }

    /// Returns `nil` if the gate lets this visitor pass immediately. Otherwise, the gate calls `pass` later. Cancelling
    /// the result removes the visitor.
    func enter(_ pass: @escaping @Sendable () -> Void) -> ScheduledWork? {
        let waitingID = state.update { state -> Int? in
            state.arrivals += 1
            if state.isOpen { return nil }
            if state.passes > 0 {
                state.passes -= 1
                return nil
            }
            state.visitors.append((state.arrivals, pass))
            return state.arrivals
        }
        guard let id = waitingID else { return nil }
        return ScheduledWork { [weak self] in
            // The closure returns the visitor, so that it is released outside the lock.
            _ = self?.state.withLock { state in
                let index = state.visitors.firstIndex { $0.id == id }
                return index.map { state.visitors.remove(at: $0) }
            }
        }
    }
}
