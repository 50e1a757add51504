import Foundation

final class TokenRefresh<Credential: Sendable>: Sendable {
    typealias Numbered = TokenRefreshState<Credential>.Numbered
    typealias Waiter = TokenRefreshState<Credential>.Waiter

    typealias Make = @Sendable (_ replaced: Credential?, _ clock: any ServiceClock) async throws -> Credential

    private let state: Lock<TokenRefreshState<Credential>>
    private let make: Make

    init(_ credential: Credential?, _ make: @escaping Make) {
        state = Lock(TokenRefreshState(credential))
        self.make = make
    }

    var now: Date? { state.withLock { $0.clock }?.now }

    var current: Credential? { state.withLock { $0.current } }

    func use(if isValid: (inout Credential) -> Bool) -> Numbered? { state.withLock { $0.use(if: isValid) } }

    func accept(_ use: CredentialUse) { state.withLock { $0.accept(use) } }

    /// Rejects a use of the credential. If this makes the credential invalid, `change` adds details for the refresh.
    func reject(_ use: CredentialUse, noting change: (inout Credential) -> Void = { _ in })
        -> CredentialRejections.Decision
    {
        // The old credential is returned, so that it is released outside the lock.
        let (decision, _) = state.withLock { state in
            let replaced = state.current
            let decision = state.reject(use)
            if decision == .rejected { state.change(change) }
            return (decision, replaced)
        }
        return decision
    }

    func rejectCurrent() { state.withLock { $0.rejectCurrent() } }

    func get(_ clock: any ServiceClock, isValid: (inout Credential) -> Bool, _ waiter: @escaping Waiter)
        -> ScheduledWork
    {
        let id = state.withLock { $0.nextNumber() }
        join(id, clock, isValid: isValid, waiter)
        return ScheduledWork { [weak self] in self?.leave(id) }
    }

    func value(_ clock: any ServiceClock, isValid: @Sendable (inout Credential) -> Bool) async throws
        -> Numbered
    {
        let id = state.withLock { $0.nextNumber() }
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

    private func join(
        _ id: Int, _ clock: any ServiceClock, isValid: (inout Credential) -> Bool, _ waiter: @escaping Waiter
    ) {
        let (decision, _) = state.withLock { state in
            let replaced = state.clock
            state.clock = clock
            return (state.join(id, isValid: isValid, waiter), replaced)
        }
        switch decision {
        case .use(let credential): waiter(.success(credential))
        case .wait: break
        case .make(let replaced, let refresh): begin(refresh, replacing: replaced, clock)
        }
    }

    private func leave(_ id: Int, _ error: (any Error)? = nil) {
        let waiter = state.withLock { $0.leave(id) }
        if let error { waiter?(.failure(error)) }
    }

    func replace(with credential: Credential?) {
        let (outcome, work, clock, _) = state.withLock { state in
            let replaced = state.current
            return (state.replace(with: credential), state.work.take(), state.clock, replaced)
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
            guard state.isMaking(refresh) else { return false }
            state.work = work
            return true
        }
        if !isWanted { work.cancel() }
    }

    private func end(_ refresh: Int, _ result: Result<Credential, any Error>) {
        let (outcome, _) = state.withLock { state in
            let replaced = state.current
            return (state.end(refresh, result), replaced)
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
