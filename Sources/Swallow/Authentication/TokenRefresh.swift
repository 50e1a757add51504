import Foundation

final class TokenRefresh<Credential: Sendable>: Sendable {
    typealias Numbered = TokenRefreshState<Credential>.Numbered
    typealias Waiter = TokenRefreshState<Credential>.Waiter

    typealias Make = @Sendable (_ replaced: Credential?, _ clock: any ServiceClock) async throws -> Credential

    private struct State: Sendable {
        var refresh: TokenRefreshState<Credential>
        var lastID = 0
        var work: Task<Void, Never>?
        var clock: (any ServiceClock)?
    }

    private let state: Lock<State>
    private let make: Make

    init(_ credential: Credential?, _ make: @escaping Make) {
        state = Lock(State(refresh: TokenRefreshState(credential)))
        self.make = make
    }

    var now: Date? { state.withLock { $0.clock }?.now }

    var current: Credential? { state.withLock { $0.refresh.current } }

    func use(_ change: (inout Credential) -> Void) -> Numbered? {
        state.withLock { state in
            state.refresh.change(change)
            return state.refresh.use()
        }
    }

    func accept(_ use: CredentialUse) { state.withLock { $0.refresh.accept(use) } }

    /// Rejects a use of the credential. If this makes the credential invalid, `change` adds details for the refresh.
    func reject(_ use: CredentialUse, noting change: (inout Credential) -> Void = { _ in })
        -> CredentialRejections.Decision
    {
        // The old credential is returned, so that it is released outside the lock.
        let (decision, _) = state.withLock { state in
            let replaced = state.refresh.current
            let decision = state.refresh.reject(use)
            if decision == .rejected { state.refresh.change(change) }
            return (decision, replaced)
        }
        return decision
    }

    func rejectCurrent() { state.withLock { $0.refresh.rejectCurrent() } }

    func get(_ clock: any ServiceClock, isValid: (inout Credential) -> Bool, _ waiter: @escaping Waiter)
        -> ScheduledWork
    {
        let id = nextID()
        join(id, clock, isValid: isValid, waiter)
        return ScheduledWork { [weak self] in self?.leave(id) }
    }

    func value(_ clock: any ServiceClock, isValid: @Sendable (inout Credential) -> Bool) async throws
        -> Numbered
    {
        let id = nextID()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                join(id, clock, isValid: isValid) { continuation.resume(with: $0) }
                // If the task was cancelled before `join`, `onCancel` found no waiter to remove.
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
            return (state.refresh.join(id, isValid: isValid, waiter), replaced)
        }
        switch decision {
        case .use(let credential): waiter(.success(credential))
        case .wait: break
        case .make(let replaced, let refresh): begin(refresh, replacing: replaced, clock)
        }
    }

    private func leave(_ id: Int, _ error: (any Error)? = nil) {
        let waiter = state.withLock { $0.refresh.leave(id) }
        if let error { waiter?(.failure(error)) }
    }

    func replace(with credential: Credential?) {
        let (outcome, work, clock, _) = state.withLock { state in
            let replaced = state.refresh.current
            return (state.refresh.replace(with: credential), state.work.take(), state.clock, replaced)
        }
        work?.cancel()
        if let credential = outcome.1 { for waiter in outcome.waiters { waiter(.success(credential)) } }
        if let refresh = outcome.refresh { begin(refresh, replacing: nil, clock ?? .system) }
    }

    private func begin(_ refresh: Int, replacing replaced: Credential?, _ clock: any ServiceClock) {
        let places = CredentialWork.places + [ObjectIdentifier(self)]
        let work = Task.detached(priority: .userInitiated) {
            let result = await CredentialWork.$places.withValue(places) {
                do {
                    return Result<Credential, any Error>.success(try await self.make(replaced, clock))
                } catch {
                    return .failure(error)
                }
            }
            self.end(refresh, result)
        }
        let isWanted = state.withLock { state in
            guard state.refresh.isMaking(refresh) else { return false }
            state.work = work
            return true
        }
        if !isWanted { work.cancel() }
    }

    private func end(_ refresh: Int, _ result: Result<Credential, any Error>) {
        let (outcome, _) = state.withLock { state in
            let replaced = state.refresh.current
            return (state.refresh.end(refresh, result), replaced)
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

/// The ``TokenRefresh`` objects whose credential this Swift task makes or adds. The task's requests don't have it.
private enum CredentialWork {
    @TaskLocal static var places: [ObjectIdentifier] = []
}
