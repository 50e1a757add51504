import Foundation
import Swallow

/// Collects values from any thread, and lets a test wait for them.
public final class Recorder<Value: Sendable>: Sendable {
    private struct Waiter: Sendable {
        let id: Int
        let count: Int
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State: Sendable {
        var values: [Value] = []
        var waiters: [Waiter] = []
        var lastID = 0
    }

    private let state = Lock(State())

    /// Creates a recorder without values.
    public init() {}

    /// The values so far.
    public var values: [Value] { state.withLock { $0.values } }

    /// Adds a value.
    public func append(_ value: Value) {
        let ready = state.withLock { state in
            state.values.append(value)
            let count = state.values.count
            defer { state.waiters.removeAll { $0.count <= count } }
            return state.waiters.filter { $0.count <= count }
        }
        for waiter in ready { waiter.continuation.resume(returning: true) }
    }

    /// Returns the first `count` values. Waits until there are enough, and fails the test if they don't
    /// arrive.
    public func first(
        _ count: Int, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line
    ) async -> [Value] {
        let isThere = await withCheckedContinuation { continuation in
            let waiter = state.withLock { state -> Waiter? in
                if state.values.count >= count { return nil }
                state.lastID += 1
                let waiter = Waiter(id: state.lastID, count: count, continuation: continuation)
                state.waiters.append(waiter)
                return waiter
            }
            guard let id = waiter?.id else { return continuation.resume(returning: true) }
            DispatchQueue.global().asyncAfter(deadline: .now() + Bound.seconds) { [weak self] in
                self?.giveUp(id)
            }
        }
        let values = Array(values.prefix(count))
        if !isThere {
            Bound.fail("\(values.count) of \(count) came", at: Bound.Place(fileID, filePath, line))
        }
        return values
    }

    private func giveUp(_ id: Int) {
        let waiter = state.withLock { state in
            let place = state.waiters.firstIndex { $0.id == id }
            return place.map { state.waiters.remove(at: $0) }
        }
        waiter?.continuation.resume(returning: false)
    }
}

package struct Event: Sendable {
    private let recorder = Recorder<Void>()

    package init() {}

    package var hasHappened: Bool { !recorder.values.isEmpty }

    package func happen() { recorder.append(()) }

    /// Waits until it has happened. Fails the test if it doesn't happen.
    package func wait(
        fileID: String = #fileID, filePath: String = #filePath, line: Int = #line
    ) async {
        _ = await recorder.first(1, fileID: fileID, filePath: filePath, line: line)
    }
}
