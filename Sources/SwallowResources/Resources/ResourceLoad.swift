import Foundation
import Swallow
import SwallowLock

/// A handle of one load of a ``Resource``. Use it to wait for the outcome and to cancel the load.
///
/// You needn't store it, because the load continues without it. While the load is running, each
/// ``Resource/loadIfNeeded()`` returns a handle of the same load.
public struct ResourceLoad<Content: Sendable>: Sendable {
    private let outcome: LoadOutcome<Content>
    private let loading: Loading<Content>?

    init(_ loading: Loading<Content>) {
        outcome = loading.outcome
        self.loading = loading
    }

    /// Creates a handle of a completed load.
    init(ended result: Result<Content, ServiceError>) {
        outcome = LoadOutcome()
        loading = nil
        _ = outcome.end(with: result)
    }

    /// Waits for the content. Throws the load's error, which is `.cancelled` if another load has replaced this load.
    ///
    /// Cancelling the Swift task that awaits the value ends only this `await`, with `.cancelled`.
    public var value: Content {
        get async throws(ServiceError) { try await result.get() }
    }

    /// Waits for the outcome. See ``value``.
    public var result: Result<Content, ServiceError> {
        get async { await outcome.result }
    }

    /// Whether a handler or a Swift task waits for the outcome.
    var isAwaited: Bool { outcome.isAwaited }

    /// Passes the outcome to a handler on the main actor, exactly once, after the resource's observers. The handler is
    /// never called before this function returns.
    @discardableResult
    public func onEnd(_ handler: @escaping @MainActor (Result<Content, ServiceError>) -> Void) -> Self {
        if let result = outcome.add(handler) {
            DispatchQueue.main.async { MainActor.assumeIsolated { handler(result) } }
        }
        return self
    }

    /// Cancels the load for all its handles, unless it has completed. On the main thread, the load is cancelled at
    /// once, otherwise soon after.
    public func cancel() {
        guard let loading else { return }
        MainActor.runSoon { loading.resource?.cancel(loading) }
    }
}

/// The outcome of a load, and the handlers and Swift tasks that wait for it.
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

    /// Sets the outcome. Only the first call has an effect.
    ///
    /// - Returns: The handlers to call.
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

    /// - Returns: The result if there is one. In this case, the handler isn't stored.
    func add(_ handler: @escaping Handler) -> Outcome? {
        state.withLock { state in
            if state.result == nil { state.handlers.append(handler) }
            return state.result
        }
    }

    /// Whether a handler or a Swift task waits for the outcome.
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
