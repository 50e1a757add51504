@testable import Swallow

/// Collects values from any thread, and lets a test wait for them.
final class Recorder<Value: Sendable>: Sendable {
    private struct State: Sendable {
        var values: [Value] = []
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Lock(State())

    var values: [Value] { state.withLock { $0.values } }

    func append(_ value: Value) {
        let ready = state.withLock { state in
            state.values.append(value)
            let count = state.values.count
            defer { state.waiters.removeAll { $0.count <= count } }
            return state.waiters.filter { $0.count <= count }
        }
        for waiter in ready { waiter.continuation.resume() }
    }

    /// The first `count` values; waits until there are so many.
    func first(_ count: Int) async -> [Value] {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                if state.values.count >= count { return true }
                state.waiters.append((count, continuation))
                return false
            }
            if isReady { continuation.resume() }
        }
        return Array(values.prefix(count))
    }
}

/// Something that happens once.
struct Event: Sendable {
    private let recorder = Recorder<Void>()

    var hasHappened: Bool { !recorder.values.isEmpty }

    func happen() { recorder.append(()) }

    /// Waits until it has happened.
    func wait() async { _ = await recorder.first(1) }
}
