import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A data source that leaves redirects and the time limit of a try to its user's exchange: that of a service's task or,
/// under an adapter, that of an ``ExchangeDataTask``. Its carriers hold no reference to the exchange once they have
/// ended, so they may be kept, and asked later how the transfer went.
protocol CarrierSource: AnyObject, SizedDataSource {
    var redirectPolicy: RedirectPolicy { get }
    /// The most that all hops of a try may take together; nil for no limit.
    var timeLimit: Duration? { get }
    var openExchanges: OpenExchanges { get }
    /// Makes a data task that has not started, and reports to `hop`.
    func carrier(for request: URLRequest, of hop: Hop) -> any DataTask
}

extension SessionDataTaskDataSource {
    /// The data source, if it is one that leaves redirects to its user.
    var asCarrierSource: (any CarrierSource)? {
        // A failed cast of a value takes 0.19 µs, a failed check of its type 0.03 µs.
        type(of: self) is any CarrierSource.Type ? self as? any CarrierSource : nil
    }
}

extension CarrierSource {
    /// Begins a try.
    ///
    /// - Returns: the timer of the time limit; nil where there is none.
    /// - Throws: where the data source takes no more tasks, or its limit leaves no time.
    func open(for owner: any ExchangeOwner, _ clock: any ServiceClock) throws -> ScheduledWork? {
        let error = timeLimit.map { limit in
            let text = "the data source's limit of \(limit) for the whole request is over"
            return URLError(.timedOut, userInfo: [NSLocalizedDescriptionKey: text])
        }
        // Thrown before the owner is added, which may have ended already and then wouldn't be removed.
        if let error, let timeLimit, timeLimit <= .zero { throw error }
        guard openExchanges.add(owner) else {
            throw URLError(
                .cancelled, userInfo: [NSLocalizedDescriptionKey: "the data source was shut down"])
        }
        guard let error, let timeLimit else { return nil }
        return clock.schedule(after: timeLimit) { [weak owner] in owner?.interrupt(with: error) }
    }
}

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
        for owner in owners { owner.interrupt(with: URLError(.cancelled)) }
    }
}
