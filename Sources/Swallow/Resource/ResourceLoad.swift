import Foundation

/// A handle of one load of a ``Resource``: waits for its outcome, and cancels it.
///
/// It needn't be kept: the load goes on without it. Each ``Resource/loadIfNeeded()`` while the load is under way
/// returns a handle of the same load.
public struct ResourceLoad<Content: Sendable>: Sendable {
    private let outcome: LoadOutcome<Content>
    private let loading: Loading<Content>?

    init(_ loading: Loading<Content>) {
        outcome = loading.outcome
        self.loading = loading
    }

    /// A load that has ended.
    init(ended result: Result<Content, ServiceError>) {
        outcome = LoadOutcome()
        loading = nil
        _ = outcome.end(with: result)
    }

    /// Waits for the content. Throws why the load failed: `.cancelled` where another has taken its place.
    ///
    /// Cancelling the Swift task that awaits ends only this `await`, with `.cancelled`.
    public var value: Content {
        get async throws(ServiceError) { try await result.get() }
    }

    /// Waits for the outcome. See ``value``.
    public var result: Result<Content, ServiceError> {
        get async { await outcome.result }
    }

    /// Whether a handler or a Swift task waits for the outcome.
    var isAwaited: Bool { outcome.isAwaited }

    /// Hands the outcome to a handler on the main actor, once, after the resource's observers; never inside this call.
    @discardableResult
    public func onEnd(_ handler: @escaping @MainActor (Result<Content, ServiceError>) -> Void) -> Self {
        if let result = outcome.add(handler) {
            DispatchQueue.mainActor.async { MainActor.assumeIsolated { handler(result) } }
        }
        return self
    }

    /// Cancels the load, for all who share it, unless it has ended; at once where this is the main thread, else soon.
    public func cancel() {
        guard let loading else { return }
        MainActor.runSoon { loading.resource?.cancel(loading) }
    }
}

/// What a load ends with, for all who wait.
final class LoadOutcome<Content: Sendable>: Sendable {
    typealias Outcome = Result<Content, ServiceError>
    typealias Handler = @MainActor (Outcome) -> Void

    private struct State: Sendable {
        var result: Outcome?
        var handlers: [Handler] = []
        var waiters: [Int: CheckedContinuation<Outcome, Never>] = [:]
        var lastTicket = 0
    }

    private let state = Lock(State())

    /// Ends it, for the first and only time.
    ///
    /// - Returns: the handlers that are to be called.
    func end(with result: Outcome) -> [Handler] {
        let (handlers, waiters) = state.withLock { state in
            if state.result != nil { return ([Handler](), [Int: CheckedContinuation<Outcome, Never>]()) }
            state.result = result
            defer { (state.handlers, state.waiters) = ([], [:]) }
            return (state.handlers, state.waiters)
        }
        for waiter in waiters.values { waiter.resume(returning: result) }
        return handlers
    }

    /// - Returns: the result where it is there already; then the handler isn't kept.
    func add(_ handler: @escaping Handler) -> Outcome? {
        state.withLock { state in
            if state.result == nil { state.handlers.append(handler) }
            return state.result
        }
    }

    /// Whether something waits for it.
    var isAwaited: Bool { state.withLock { !$0.waiters.isEmpty || !$0.handlers.isEmpty } }

    var result: Outcome {
        get async {
            let ticket = state.withLock { state in
                state.lastTicket += 1
                return state.lastTicket
            }
            return await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let result = state.withLock { state in
                        if state.result == nil { state.waiters[ticket] = continuation }
                        return state.result
                    }
                    if let result { continuation.resume(returning: result) }
                    if Task.isCancelled { abandon(ticket) }
                }
            } onCancel: {
                abandon(ticket)
            }
        }
    }

    private func abandon(_ ticket: Int) {
        let waiter = state.withLock { $0.waiters.removeValue(forKey: ticket) }
        waiter?.resume(returning: .failure(ServiceError(.cancelled)))
    }
}
