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
    /// Starts what carriers need, unless it was started before. Does nothing by default.
    func start() throws
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
    func start() throws {}

    /// Begins an attempt.
    ///
    /// - Returns: The timer of the time limit; `nil` if there is no limit.
    /// - Throws: An error if the data source can't start or takes no more tasks, or if its limit leaves no time.
    func open(for owner: any ExchangeOwner, _ clock: any ServiceClock) throws -> ScheduledWork? {
        let error = timeLimit.map { limit in
            let text = "the data source's limit of \(limit) for the whole request is over"
            return URLError(.timedOut, userInfo: [NSLocalizedDescriptionKey: text])
        }
        // Thrown before the owner is added, which may have ended already and then wouldn't be removed.
        if let error, let timeLimit, timeLimit <= .zero { throw error }
        try start()
        guard openExchanges.add(owner) else {
            throw URLError(
                .cancelled, userInfo: [NSLocalizedDescriptionKey: "the data source was shut down"])
        }
        guard let error, let timeLimit else { return nil }
        // The action may be under way when the timer is cancelled. The number keeps it from a later attempt.
        let attempt = owner.withExchange { $0.attempt.rejected }
        return clock.schedule(after: timeLimit) { [weak owner] in
            owner?.interrupt(with: error, in: attempt)
        }
    }
}
