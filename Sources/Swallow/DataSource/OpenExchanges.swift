import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The exchanges that a data source works for, and whether it takes new ones.
final class OpenExchanges: Sendable {
    private struct State: Sendable {
        var owners: [ObjectIdentifier: any ExchangeOwner] = [:]
        var isClosed = false
        /// Those that wait until none is left.
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Lock(State())

    /// Takes the owner of one that begins; says whether it may.
    func add(_ owner: any ExchangeOwner) -> Bool {
        state.withLock { state in
            if !state.isClosed { state.owners[ObjectIdentifier(owner)] = owner }
            return !state.isClosed
        }
    }

    /// Takes the end of one.
    func remove(_ owner: any ExchangeOwner) {
        let waiters = state.withLock { state in
            state.owners[ObjectIdentifier(owner)] = nil
            defer { if state.owners.isEmpty { state.waiters = [] } }
            return state.owners.isEmpty ? state.waiters : []
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Takes no new ones from here on, and waits for the end of the others; cancels those that are left after a time, or
    /// when the Swift task that waits is cancelled.
    func close(within limit: Duration) async {
        state.withLock { $0.isClosed = true }
        let deadline = SystemClock.system.schedule(after: limit) { self.cancelAll() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if !state.owners.isEmpty { state.waiters.append(continuation) }
                    return state.owners.isEmpty
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            cancelAll()
        }
        deadline.cancel()
    }

    private func cancelAll() {
        let owners = state.withLock { Array($0.owners.values) }
        for owner in owners { owner.interrupt(with: URLError(.cancelled)) }
    }
}
