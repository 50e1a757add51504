import Foundation

/// Shares one token refresh among all concurrent waiters.
final class Renewal<Credential: Sendable>: Sendable {
    typealias Numbered = RenewalState<Credential>.Numbered
    typealias Waiter = RenewalState<Credential>.Waiter

    typealias Make = @Sendable (_ replaced: Credential?, _ clock: any ServiceClock) async throws -> Credential

    private struct State: Sendable {
        var renewal: RenewalState<Credential>
        var lastID = 0
        var work: Task<Void, Never>?
        var clock: (any ServiceClock)?
    }

    private let state: Lock<State>
    private let make: Make

    init(_ credential: Credential?, _ make: @escaping Make) {
        state = Lock(State(renewal: RenewalState(credential)))
        self.make = make
    }

    var now: Date? { state.withLock { $0.clock }?.now }

    var current: Credential? { state.withLock { $0.renewal.current } }

    /// Applies a change, and returns the credential for a new use unless it was rejected.
    func use(_ change: (inout Credential) -> Void) -> Numbered? {
        state.withLock { state in
            state.renewal.change(change)
            return state.renewal.use()
        }
    }

    func accept(_ use: CredentialUse) { state.withLock { $0.renewal.accept(use) } }

    func reject(_ use: CredentialUse) -> CredentialRejections.Decision {
        state.withLock { $0.renewal.reject(use) }
    }

    func rejectCurrent() { state.withLock { $0.renewal.rejectCurrent() } }

    /// Passes the current credential or a new one to a waiter. Cancelling the returned work ends the wait.
    func get(_ clock: any ServiceClock, isValid: (inout Credential) -> Bool, _ waiter: @escaping Waiter)
        -> ScheduledWork
    {
        let id = nextID()
        join(id, clock, isValid: isValid, waiter)
        return ScheduledWork { [weak self] in self?.leave(id) }
    }

    /// Throws a `CancellationError` if the waiting Swift task is cancelled.
    func value(_ clock: any ServiceClock, isValid: @Sendable (inout Credential) -> Bool) async throws
        -> Numbered
    {
        let id = nextID()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                join(id, clock, isValid: isValid) { continuation.resume(with: $0) }
                // A cancellation before `join` found no waiter to remove.
                if Task.isCancelled { leave(id, CancellationError()) }
            }
        } onCancel: {
            leave(id, CancellationError())
        }
    }

    private func nextID() -> Int {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    private func join(
        _ id: Int, _ clock: any ServiceClock, isValid: (inout Credential) -> Bool, _ waiter: @escaping Waiter
    ) {
        let (decision, _) = state.withLock { state in
            let replaced = state.clock
            state.clock = clock
            return (state.renewal.join(id, isValid: isValid, waiter), replaced)
        }
        switch decision {
        case .use(let credential): waiter(.success(credential))
        case .wait: break
        case .make(let replaced, let renewal): begin(renewal, replacing: replaced, clock)
        }
    }

    private func leave(_ id: Int, _ error: (any Error)? = nil) {
        let waiter = state.withLock { $0.renewal.leave(id) }
        if let error { waiter?(.failure(error)) }
    }

    func replace(with credential: Credential?) {
        let (outcome, work, clock, _) = state.withLock { state in
            let replaced = state.renewal.current
            return (state.renewal.replace(with: credential), state.work.take(), state.clock, replaced)
        }
        work?.cancel()
        if let credential = outcome.1 { for waiter in outcome.waiters { waiter(.success(credential)) } }
        if let renewal = outcome.renewal { begin(renewal, replacing: nil, clock ?? .system) }
    }

    /// Makes a credential in a new Swift task, which continues if a waiter is cancelled.
    private func begin(_ renewal: Int, replacing replaced: Credential?, _ clock: any ServiceClock) {
        let places = CredentialWork.places + [ObjectIdentifier(self)]
        let work = Task.detached(priority: .userInitiated) {
            let result = await CredentialWork.$places.withValue(places) {
                do {
                    return Result<Credential, any Error>.success(try await self.make(replaced, clock))
                } catch {
                    return .failure(error)
                }
            }
            self.end(renewal, result)
        }
        let isWanted = state.withLock { state in
            guard state.renewal.isMaking(renewal) else { return false }
            state.work = work
            return true
        }
        if !isWanted { work.cancel() }
    }

    private func end(_ renewal: Int, _ result: Result<Credential, any Error>) {
        let (outcome, _) = state.withLock { state in
            let replaced = state.renewal.current
            return (state.renewal.end(renewal, result), replaced)
        }
        guard let (waiters, result) = outcome else { return }
        for waiter in waiters { waiter(result) }
    }

    var isWorkingHere: Bool { CredentialWork.places.contains(ObjectIdentifier(self)) }

    func working<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        try await CredentialWork.$places.withValue(
            CredentialWork.places + [ObjectIdentifier(self)], operation: body)
    }
}

/// The renewals that include the running code. Its requests are sent without the credentials of these renewals.
private enum CredentialWork {
    @TaskLocal static var places: [ObjectIdentifier] = []
}
