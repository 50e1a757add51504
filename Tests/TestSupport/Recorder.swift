import Swallow

/// Collects values from any thread, and lets a test wait for them.
package final class Recorder<Value: Sendable>: Sendable {
    private struct State: Sendable {
        var values: [Value] = []
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Lock(State())

    package init() {}

    package var values: [Value] { state.withLock { $0.values } }

    package func append(_ value: Value) {
        let ready = state.withLock { state in
            state.values.append(value)
            let count = state.values.count
            defer { state.waiters.removeAll { $0.count <= count } }
            return state.waiters.filter { $0.count <= count }
        }
        for waiter in ready { waiter.continuation.resume() }
    }

    /// The first `count` values; waits until there are so many.
    package func first(_ count: Int) async -> [Value] {
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
package struct Event: Sendable {
    private let recorder = Recorder<Void>()

    package init() {}

    package var hasHappened: Bool { !recorder.values.isEmpty }

    package func happen() { recorder.append(()) }

    /// Waits until it has happened.
    package func wait() async { _ = await recorder.first(1) }
}
