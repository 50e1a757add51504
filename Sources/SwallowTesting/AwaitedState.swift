import Foundation
import Swallow

protocol AwaitedState: Sendable {
    var waiters: [UUID: Waiter<Self>] { get set }
}

struct Waiter<State: Sendable>: Sendable {
    fileprivate let condition: @Sendable (State) -> Bool
    fileprivate let continuation: CheckedContinuation<Void, any Error>
}

/// The error of a check that a test makes, for example of ``StubDataSource/verify()``.
package struct CheckFailure: Error, CustomStringConvertible, LocalizedError {
    package let description: String

    package var errorDescription: String? { description }
}

extension Lock where Value: AwaitedState {
    /// Changes the state, and then resumes outside the lock the waiters whose condition holds.
    func update<Result>(_ change: (inout Value) -> Result) -> Result {
        let (result, ready) = withLock { state in
            let result = change(&state)
            let ready = state.waiters.isEmpty ? [:] : state.waiters.filter { $0.value.condition(state) }
            for id in ready.keys { state.waiters[id] = nil }
            return (result, ready.values)
        }
        for waiter in ready { waiter.continuation.resume() }
        return result
    }

    /// Waits for a condition. Throws `failure` after `limit` of real time, or `CancellationError` if cancelled.
    func wait(
        within limit: Duration, until condition: @escaping @Sendable (Value) -> Bool,
        otherwise failure: @escaping @Sendable (Value) -> any Error
    ) async throws {
        let id = UUID()
        let deadline = ContinuousClock.now + limit
        let timer = SystemClock.system.schedule(after: limit) { [self] in
            let (waiter, failure) = withLock { ($0.waiters.removeValue(forKey: id), failure($0)) }
            waiter?.continuation.resume(throwing: failure)
        }
        defer { timer.cancel() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome = withLock { state -> Result<Void, any Error>? in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if condition(state) { return .success(()) }
                    // The timer may have fired already, because it was scheduled before this point.
                    if deadline <= .now { return .failure(failure(state)) }
                    state.waiters[id] = Waiter(condition: condition, continuation: continuation)
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let waiter = withLock { $0.waiters.removeValue(forKey: id) }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }
}
