import Foundation
import Swallow
import SwallowLock

/// A handle of a load, to await its outcome and to cancel it. The load continues if you don't keep the handle. While
/// the load runs, ``Resource/loadIfNeeded()`` returns further handles of it.
public struct ResourceLoad<Content: Sendable>: Sendable {
    private let outcome: LoadOutcome<Content>
    private let loading: Loading<Content>?

    init(_ loading: Loading<Content>) {
        outcome = loading.outcome
        self.loading = loading
    }

    init(ended result: Result<Content, ServiceError>) {
        outcome = LoadOutcome()
        loading = nil
        _ = outcome.end(with: result)
    }

    /// Waits for the content, or throws the load's error. The error is `.cancelled` if another load has replaced this
    /// one. Cancelling the Swift task ends only this `await`, not the load.
    public var value: Content {
        get async throws(ServiceError) { try await result.get() }
    }

    /// Waits for the outcome. See ``value``.
    public var result: Result<Content, ServiceError> {
        get async { await outcome.result }
    }

    var isAwaited: Bool { outcome.isAwaited }

    /// Passes the outcome to a handler on the main actor, exactly once. Observers receive the load's last event first.
    @discardableResult
    public func onEnd(_ handler: @escaping @MainActor (Result<Content, ServiceError>) -> Void) -> Self {
        if let result = outcome.add(handler) {
            DispatchQueue.main.async { MainActor.assumeIsolated { handler(result) } }
        }
        return self
    }

    /// Cancels the load for all its handles. Off the main thread, the cancellation is enqueued on the main actor.
    public func cancel() {
        guard let loading else { return }
        MainActor.runSoon { loading.resource?.cancel(loading) }
    }
}

final class LoadOutcome<Content: Sendable>: Sendable {
    typealias Outcome = Result<Content, ServiceError>
    typealias Handler = @MainActor (Outcome) -> Void

    private struct State: Sendable {
        var result: Outcome?
        var handlers: [Handler] = []
        var waiters: [Int: AsyncStream<Outcome>.Continuation] = [:]
        var lastTicket = 0
    }

    private let state = Lock(State())

    /// Stores the result unless there is one, resumes the waiters, and returns the handlers to call.
    func end(with result: Outcome) -> [Handler] {
        let former = state.withLock { state in
            let former = state
            if state.result == nil { state = State(result: result) }
            return former
        }
        for waiter in former.waiters.values {
            waiter.yield(result)
            waiter.finish()
        }
        return former.handlers
    }

    /// Stores a handler, or returns the result if there is one.
    func add(_ handler: @escaping Handler) -> Outcome? {
        state.withLock { state in
            if state.result == nil { state.handlers.append(handler) }
            return state.result
        }
    }

    var isAwaited: Bool { state.withLock { !$0.waiters.isEmpty || !$0.handlers.isEmpty } }

    var result: Outcome {
        get async {
            let (results, waiter) = AsyncStream.makeStream(of: Outcome.self)
            let (known, ticket) = state.withLock { state in
                state.lastTicket += 1
                if state.result == nil { state.waiters[state.lastTicket] = waiter }
                return (state.result, state.lastTicket)
            }
            if let known { return known }
            waiter.onTermination = { [state] _ in state.withLock { $0.waiters[ticket] = nil } }
            for await result in results { return result }
            // The stream ends without a result if the Swift task is cancelled.
            return .failure(ServiceError(.cancelled))
        }
    }
}
