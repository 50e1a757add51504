final class BodySending: Sendable {
    private struct State: Sendable {
        var stop: (@Sendable () -> Void)?
        var isCancelled = false
        var failure: ServiceError?
        var handler: (@Sendable (ServiceError) -> Void)?
    }

    private let state = Lock(State())

    var failure: ServiceError? { state.withLock { $0.failure } }

    /// The closure runs once, when `cancel()` is called. If it was called before, the closure runs now.
    func onCancel(_ stop: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.stop = stop }
            return state.isCancelled
        }
        if isCancelled { stop() }
    }

    func cancel() {
        let (stop, handler) = state.withLock { state in
            state.isCancelled = true
            return (state.stop.take(), state.handler.take())
        }
        withExtendedLifetime(handler) { stop?() }
    }

    /// Sets the handler for a body that can't be read to its end. It runs on any thread.
    func whenFailed(_ handler: @escaping @Sendable (ServiceError) -> Void) {
        let failure = state.withLock { state in
            if state.failure == nil, !state.isCancelled { state.handler = handler }
            return state.failure
        }
        if let failure { handler(failure) }
    }

    func fail(with error: ServiceError) {
        let handler = state.withLock { state in
            state.failure = error
            return state.handler.take()
        }
        handler?(error)
    }
}
