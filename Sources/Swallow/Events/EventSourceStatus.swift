import Observation

final class EventSourceStatus: Observable, Sendable {
    private struct Latest: Sendable {
        var state = EventSource.State.connecting
        var isScheduled = false
    }

    private let registrar = ObservationRegistrar()
    private let latest = Lock(Latest())
    @MainActor private var shown = EventSource.State.connecting

    private var change: Void {}

    @MainActor var state: EventSource.State {
        registrar.access(self, keyPath: \.change)
        return shown
    }

    /// Publishes a state on the main actor. If the main actor is busy, only the last of several states is published.
    func set(_ state: EventSource.State) {
        let isFirst = latest.withLock { latest in
            latest.state = state
            defer { latest.isScheduled = true }
            return !latest.isScheduled
        }
        if isFirst { MainActor.runSoon { self.show() } }
    }

    @MainActor private func show() {
        let state = latest.withLock { latest in
            latest.isScheduled = false
            return latest.state
        }
        if state != shown { registrar.withMutation(of: self, keyPath: \.change) { shown = state } }
    }
}

/// The state of one loop over an event source. Its release publishes `.ended` if the caller has left the loop early.
final class EventSourceLoop: Sendable {
    private let status: EventSourceStatus
    private let hasEnded = Lock(false)

    init(_ status: EventSourceStatus) {
        self.status = status
    }

    deinit { set(.ended) }

    func set(_ state: EventSource.State) {
        let isFirst = hasEnded.withLock { hasEnded in
            defer { hasEnded = state == .ended }
            return !hasEnded
        }
        if isFirst { status.set(state) }
    }
}
