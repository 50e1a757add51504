import Observation
import Swallow

/// Publishes the state of a WebSocket to Swift's Observation.
final class WebSocketStatus: Observable, Sendable {
    struct Change: Sendable {
        var state = WebSocket.State.connecting
        /// Threads may report changes in the wrong order, so later changes have higher numbers.
        var number = 0
    }

    private struct Latest: Sendable {
        var change = Change()
        /// Whether an update on the main actor is already scheduled.
        var isDue = false
    }

    private let registrar = ObservationRegistrar()
    private let latest = Lock(Latest())
    @MainActor private var shown = WebSocket.State.connecting

    /// Observation tracks `state` under the key path of this property.
    private var change: Void {}

    @MainActor var state: WebSocket.State {
        registrar.access(self, keyPath: \.change)
        return shown
    }

    /// Publishes a state on the main actor. If the main actor is busy, only the last of several states is published.
    func publish(_ change: Change) {
        let isFirst = latest.withLock { latest in
            if change.number < latest.change.number { return false }
            latest.change = change
            defer { latest.isDue = true }
            return !latest.isDue
        }
        if isFirst { Task { @MainActor in show() } }
    }

    @MainActor private func show() {
        let state = latest.withLock { latest in
            latest.isDue = false
            return latest.change.state
        }
        if state != shown { registrar.withMutation(of: self, keyPath: \.change) { shown = state } }
    }
}
