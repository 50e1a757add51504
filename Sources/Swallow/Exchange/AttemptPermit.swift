import Foundation

/// Allows an exchange to send the transfers of one attempt. The data source's timeout or `shutDown` can fail them.
struct AttemptPermit: Sendable {
    fileprivate let attempts: OpenAttempts
    fileprivate let id: Int

    var failure: (any Error)? { attempts.failure(of: id) }
    func use(_ transfer: any Transfer) { attempts.use(transfer, for: id) }
    func end() { attempts.end(id) }
}

final class OpenAttempts: Sendable {
    private struct Attempt: Sendable {
        var transfer: (any Transfer)?
        var failure: (any Error)?
        var timer: ScheduledWork?
    }

    private struct State: Sendable {
        var attempts: [Int: Attempt] = [:]
        var lastID = 0
        var isClosed = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Lock(State())

    func begin() -> AttemptPermit? {
        state.withLock { state in
            if state.isClosed { return nil }
            state.lastID += 1
            state.attempts[state.lastID] = Attempt()
            return AttemptPermit(attempts: self, id: state.lastID)
        }
    }

    func startTimer(
        of permit: AttemptPermit, _ clock: any ServiceClock, _ limit: Duration, _ error: any Error
    ) {
        let id = permit.id
        let timer = clock.schedule(after: limit) { [weak self] in self?.fail(id, with: error) }
        let isOpen = state.withLock { state in
            state.attempts[id]?.timer = timer
            return state.attempts[id] != nil
        }
        if !isOpen { timer.cancel() }
    }

    fileprivate func failure(of id: Int) -> (any Error)? { state.withLock { $0.attempts[id]?.failure } }

    fileprivate func use(_ transfer: any Transfer, for id: Int) {
        let (failure, _) = state.withLock { state in
            defer { state.attempts[id]?.transfer = transfer }
            return (state.attempts[id]?.failure, state.attempts[id]?.transfer)
        }
        if let failure { transfer.fail(with: failure) }
    }

    /// Fails the attempt's current transfer, if any, and each later one.
    private func fail(_ id: Int, with error: any Error) {
        let transfer = state.withLock { state -> (any Transfer)? in
            guard let attempt = state.attempts[id], attempt.failure == nil else { return nil }
            state.attempts[id]?.failure = error
            return attempt.transfer
        }
        transfer?.fail(with: error)
    }

    fileprivate func end(_ id: Int) {
        let (attempt, waiters) = state.withLock { state in
            let attempt = state.attempts.removeValue(forKey: id)
            defer { if state.attempts.isEmpty { state.waiters = [] } }
            return (attempt, state.attempts.isEmpty ? state.waiters : [])
        }
        attempt?.timer?.cancel()
        for waiter in waiters { waiter.resume() }
    }

    /// Waits for the open attempts. After `limit`, or if the Swift task is cancelled, fails them after `willCancel()`.
    func close(within limit: Duration, willCancel: @escaping @Sendable () -> Void = {}) async {
        state.withLock { $0.isClosed = true }
        let deadline = SystemClock.system.schedule(after: limit) {
            willCancel()
            self.failAll()
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if !state.attempts.isEmpty { state.waiters.append(continuation) }
                    return state.attempts.isEmpty
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            willCancel()
            failAll()
        }
        deadline.cancel()
    }

    private func failAll() {
        let ids = state.withLock { Array($0.attempts.keys) }
        for id in ids { fail(id, with: URLError(.cancelled)) }
    }
}
