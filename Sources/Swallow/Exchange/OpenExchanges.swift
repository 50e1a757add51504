import Foundation

/// The exchanges that a data source works for, and whether it takes new ones.
final class OpenExchanges: Sendable {
    private struct State: Sendable {
        var owners: [ObjectIdentifier: any ExchangeOwner] = [:]
        var isClosed = false
        /// Resumed when the last exchange has ended.
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Lock(State())

    /// Adds an exchange's owner; false once no new ones are taken.
    func add(_ owner: any ExchangeOwner) -> Bool {
        state.withLock { state in
            if !state.isClosed { state.owners[ObjectIdentifier(owner)] = owner }
            return !state.isClosed
        }
    }

    /// Removes the owner of an exchange that has ended.
    func remove(_ owner: any ExchangeOwner) {
        let waiters = state.withLock { state in
            state.owners[ObjectIdentifier(owner)] = nil
            defer { if state.owners.isEmpty { state.waiters = [] } }
            return state.owners.isEmpty ? state.waiters : []
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Refuses new exchanges, and waits until the open ones have ended. Cancels them after a time limit, or when the waiting
    /// Swift task is cancelled.
    ///
    /// - Parameter willCancel: is called before they are cancelled.
    func close(within limit: Duration, willCancel: @escaping @Sendable () -> Void = {}) async {
        state.withLock { $0.isClosed = true }
        let deadline = SystemClock.system.schedule(after: limit) {
            willCancel()
            self.cancelAll()
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if !state.owners.isEmpty { state.waiters.append(continuation) }
                    return state.owners.isEmpty
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            willCancel()
            cancelAll()
        }
        deadline.cancel()
    }

    private func cancelAll() {
        let owners = state.withLock { Array($0.owners.values) }
        for owner in owners { owner.interrupt(with: URLError(.cancelled), in: nil) }
    }
}
