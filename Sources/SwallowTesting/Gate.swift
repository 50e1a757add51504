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

    private struct Watcher: Sendable {
        let id: Int
        let count: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State: Sendable {
        var isOpen = false
        /// How many may pass that have yet to come.
        var passes = 0
        var visitors: [Visitor] = []
        var watchers: [Watcher] = []
        var arrivals = 0
        var lastID = 0

        mutating func makeID() -> Int {
            lastID += 1
            return lastID
        }

        /// Takes out those who wait for no more arrivals than there were.
        mutating func takeWatchers() -> [Watcher] {
            let arrivals = arrivals
            defer { watchers.removeAll { $0.count <= arrivals } }
            return watchers.filter { $0.count <= arrivals }
        }
    }

    private let state = Lock(State())

    /// Makes a gate that is shut.
    public init() {}

    /// How many answers it holds.
    public var waiting: Int { state.withLock { $0.visitors.count } }

    /// Lets go of all that wait, in the order in which they came, and of all that will come.
    public func open() {
        let visitors = state.withLock { state in
            state.isOpen = true
            defer { state.visitors = [] }
            return state.visitors
        }
        for visitor in visitors { visitor.pass() }
    }

    /// Lets go of so many, those first that have waited longest, and then of those that come next; the gate stays shut
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

    /// Waits until so many requests have come to the gate since it was made, whether they were let go or not.
    ///
    /// - Throws: `CancellationError` if the Swift task is cancelled before.
    public func arrivals(_ count: Int = 1) async throws {
        let id = state.withLock { $0.makeID() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.arrivals >= count || Task.isCancelled { return true }
                    state.watchers.append(Watcher(id: id, count: count, continuation: continuation))
                    return false
                }
                guard isOver else { return }
                continuation.resume(with: Result { try Task.checkCancellation() })
            }
        } onCancel: {
            let watcher = state.withLock { state in
                let index = state.watchers.firstIndex { $0.id == id }
                return index.map { state.watchers.remove(at: $0) }
            }
            watcher?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Comes to the gate, and passes now or later.
    ///
    /// - Returns: takes the visitor away, if it is still held.
    func enter(_ pass: @escaping @Sendable () -> Void) -> ScheduledWork {
        let (id, passes, watchers) = state.withLock { state -> (Int, Bool, [Watcher]) in
            state.arrivals += 1
            let id = state.makeID()
            let passes = state.isOpen || state.passes > 0
            if !passes {
                state.visitors.append(Visitor(id: id, pass: pass))
            } else if !state.isOpen {
                state.passes -= 1
            }
            return (id, passes, state.takeWatchers())
        }
        for watcher in watchers { watcher.continuation.resume() }
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
