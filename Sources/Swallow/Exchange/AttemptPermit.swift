import Foundation

/// A data source's permission to send the transfers of one attempt. The current transfer fails if the data source's
/// time limit is over, or if the data source is shut down.
final class AttemptPermit: Sendable {
    private struct State: Sendable {
        var transfer: (any Transfer)?
        var failure: (any Error)?
        var timer: ScheduledWork?
        var hasEnded = false
    }

    private let attempts: OpenAttempts
    private let state = Lock(State())

    init(_ attempts: OpenAttempts) {
        self.attempts = attempts
    }

    func startTimer(_ clock: any ServiceClock, _ limit: Duration, _ error: any Error) {
        let timer = clock.schedule(after: limit) { [weak self] in self?.fail(with: error) }
        state.withLock { $0.timer.store(timer, if: !$0.hasEnded) }.cancelIfUnneeded()
    }

    var failure: (any Error)? { state.withLock { $0.failure } }

    func use(_ transfer: any Transfer) {
        let (failure, _) = state.withLock { state in
            let previous = state.transfer
            if !state.hasEnded { state.transfer = transfer }
            return (state.failure, previous)
        }
        if let failure { transfer.fail(with: failure) }
    }

    /// Fails the current transfer, or otherwise the next one.
    func fail(with error: any Error) {
        let transfer = state.withLock { state -> (any Transfer)? in
            if state.hasEnded || state.failure != nil { return nil }
            state.failure = error
            return state.transfer
        }
        transfer?.fail(with: error)
    }

    func end() {
        let (timer, transfer, isFirst) = state.withLock { state in
            defer { (state.hasEnded, state.transfer, state.timer) = (true, nil, nil) }
            return (state.timer, state.transfer, !state.hasEnded)
        }
        guard isFirst else { return }
        timer?.cancel()
        withExtendedLifetime(transfer) { attempts.remove(self) }
    }
}

final class OpenAttempts: Sendable {
    private struct State: Sendable {
        var permits: [ObjectIdentifier: AttemptPermit] = [:]
        var isClosed = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Lock(State())

    func add(_ permit: AttemptPermit) -> Bool {
        state.withLock { state in
            if !state.isClosed { state.permits[ObjectIdentifier(permit)] = permit }
            return !state.isClosed
        }
    }

    func remove(_ permit: AttemptPermit) {
        let (waiters, _) = state.withLock { state in
            let removed = state.permits.removeValue(forKey: ObjectIdentifier(permit))
            defer { if state.permits.isEmpty { state.waiters = [] } }
            return (state.permits.isEmpty ? state.waiters : [], removed)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits until the open attempts have ended. Calls `willCancel` and fails them when the time is over, or when the
    /// waiting Swift task is cancelled.
    func close(within limit: Duration, willCancel: @escaping @Sendable () -> Void = {}) async {
        state.withLock { $0.isClosed = true }
        let deadline = SystemClock.system.schedule(after: limit) {
            willCancel()
            self.failAll()
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if !state.permits.isEmpty { state.waiters.append(continuation) }
                    return state.permits.isEmpty
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
        let permits = state.withLock { Array($0.permits.values) }
        for permit in permits { permit.fail(with: URLError(.cancelled)) }
    }
}
