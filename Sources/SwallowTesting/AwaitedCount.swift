import Foundation
import Swallow

/// A state with a count that tests wait for, such as a gate's arrivals or a clock's pending work.
protocol AwaitedCount: Sendable {
    var awaitedCount: Int { get }
    var watchers: Watchers { get set }

    func shortfall(_ count: Int, within limit: Duration) -> CountNotReached
}

package struct CountNotReached: Error, CustomStringConvertible, LocalizedError {
    package let expected: Int
    package let count: Int
    package let description: String

    package var errorDescription: String? { description }
}

struct Watchers: Sendable {
    struct Watcher: Sendable {
        fileprivate let id: Int
        fileprivate let count: Int
        fileprivate let continuation: CheckedContinuation<Void, any Error>

        /// Call this outside the lock, because the test may continue inside the call.
        func resume() { continuation.resume() }
    }

    private var list: [Watcher] = []
    private var lastID = 0
    /// Watchers that timed out or were cancelled, and must not be added afterwards.
    private var late: Set<Int> = []

    fileprivate mutating func makeID() -> Int {
        lastID += 1
        return lastID
    }

    /// Returns `false` if the watcher's time limit has already passed.
    fileprivate mutating func add(_ watcher: Watcher) -> Bool {
        if late.contains(watcher.id) { return false }
        list.append(watcher)
        return true
    }

    fileprivate mutating func remove(_ id: Int) -> Watcher? {
        late.insert(id)
        return list.firstIndex { $0.id == id }.map { list.remove(at: $0) }
    }

    fileprivate mutating func removeLate(_ id: Int) { late.remove(id) }

    mutating func take(at count: Int) -> [Watcher] {
        if list.isEmpty { return [] }
        defer { list.removeAll { $0.count <= count } }
        return list.filter { $0.count <= count }
    }
}

extension Lock where Value: AwaitedCount {
    /// Throws `CountNotReached` after `limit` of real time, or `CancellationError` if the Swift task is cancelled.
    func reaches(_ count: Int, within limit: Duration) async throws {
        let id = withLock { $0.watchers.makeID() }
        let timer = SystemClock.system.schedule(after: limit) { [self] in
            let (watcher, shortfall) = withLock {
                ($0.watchers.remove(id), $0.shortfall(count, within: limit))
            }
            watcher?.continuation.resume(throwing: shortfall)
        }
        defer {
            timer.cancel()
            withLock { $0.watchers.removeLate(id) }
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome = withLock { state -> Result<Void, any Error>? in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.awaitedCount >= count { return .success(()) }
                    let watcher = Watchers.Watcher(id: id, count: count, continuation: continuation)
                    return state.watchers.add(watcher) ? nil : .failure(state.shortfall(count, within: limit))
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            withLock { $0.watchers.remove(id) }?.continuation.resume(throwing: CancellationError())
        }
    }
}
