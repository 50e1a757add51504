import Swallow

/// A state that has a count which tests await: a gate's arrivals, a clock's work.
protocol AwaitedCount: Sendable {
    var awaitedCount: Int { get }
    var watchers: Watchers { get set }
}

/// Those who wait until a count is reached.
struct Watchers: Sendable {
    struct Watcher: Sendable {
        fileprivate let id: Int
        fileprivate let count: Int
        fileprivate let continuation: CheckedContinuation<Void, any Error>

        /// Lets it go on; without the lock.
        func goOn() { continuation.resume() }
    }

    private var list: [Watcher] = []
    private var lastID = 0

    fileprivate mutating func makeID() -> Int {
        lastID += 1
        return lastID
    }

    fileprivate mutating func add(_ watcher: Watcher) { list.append(watcher) }

    fileprivate mutating func remove(_ id: Int) -> Watcher? {
        list.firstIndex { $0.id == id }.map { list.remove(at: $0) }
    }

    /// Takes out those who wait for no more than a count.
    mutating func take(at count: Int) -> [Watcher] {
        if list.isEmpty { return [] }
        defer { list.removeAll { $0.count <= count } }
        return list.filter { $0.count <= count }
    }
}

extension Lock where Value: AwaitedCount {
    /// Waits until the count is at least so high.
    ///
    /// - Throws: `CancellationError` if the Swift task is cancelled before.
    func reaches(_ count: Int) async throws {
        let id = withLock { $0.watchers.makeID() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isOver = withLock { state in
                    if state.awaitedCount >= count || Task.isCancelled { return true }
                    state.watchers.add(.init(id: id, count: count, continuation: continuation))
                    return false
                }
                guard isOver else { return }
                continuation.resume(with: Result { try Task.checkCancellation() })
            }
        } onCancel: {
            withLock { $0.watchers.remove(id) }?.continuation.resume(throwing: CancellationError())
        }
    }
}
