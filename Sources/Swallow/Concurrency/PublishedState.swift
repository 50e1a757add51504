import Observation

/// Publishes a state to Swift's Observation on the main actor.
package final class PublishedState<State: Sendable & Equatable>: Observable, Sendable {
    /// A change of the state. Threads may report changes in the wrong order, so a number below the latest is ignored.
    package struct Change: Sendable {
        fileprivate let state: State
        fileprivate let number: Int

        package init(_ state: State, number: Int = 0) {
            (self.state, self.number) = (state, number)
        }
    }

    private struct Latest: Sendable {
        var change: Change
        var isScheduled = false
    }

    private let registrar = ObservationRegistrar()
    private let latest: Lock<Latest>
    @MainActor private var shown: State
    @MainActor private var isShowing = false

    /// Observation tracks `state` under the key path of this property.
    private var change: Void {}

    package init(_ state: State) {
        latest = Lock(Latest(change: Change(state)))
        shown = state
    }

    @MainActor package var state: State {
        registrar.access(self, keyPath: \.change)
        return shown
    }

    /// Publishes a state on the main actor. If the main actor is busy, only the last of several states is published.
    package func publish(_ change: Change) {
        let isFirst = latest.withLock { latest in
            if change.number < latest.change.number { return false }
            latest.change = change
            defer { latest.isScheduled = true }
            return !latest.isScheduled
        }
        if isFirst { MainActor.runSoon { self.show() } }
    }

    @MainActor private func show() {
        // An observer may publish the next state within this call.
        if isShowing { return }
        isShowing = true
        defer { isShowing = false }
        while case let state = takeLatest(), state != shown {
            registrar.withMutation(of: self, keyPath: \.change) { shown = state }
        }
    }

    private func takeLatest() -> State {
        latest.withLock { latest in
            latest.isScheduled = false
            return latest.change.state
        }
    }
}
