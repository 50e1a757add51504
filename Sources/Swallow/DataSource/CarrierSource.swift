import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A data source that leaves redirects and the time of a try to the exchange of its user: a service's task or, where
/// an adapter is between them, an ``ExchangeDataTask``. Its carriers hold nothing of the exchange once they have ended, so
/// they may be asked later how the transfer went.
protocol CarrierSource: AnyObject, SizedDataSource {
    var redirectPolicy: RedirectPolicy { get }
    /// The most that all hops of a try may take together; nil for no limit.
    var timeLimit: Duration? { get }
    var openExchanges: OpenExchanges { get }
    /// Makes a data task that has not started, and tells `hop` how it goes on.
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
    /// - Returns: what ends its time; nil where there is no limit.
    /// - Throws: where the data source takes no more tasks, or has no time.
    func open(for owner: any ExchangeOwner, _ clock: any ServiceClock) throws -> ScheduledWork? {
        guard openExchanges.add(owner) else {
            throw URLError(
                .cancelled, userInfo: [NSLocalizedDescriptionKey: "the data source was shut down"])
        }
        guard let timeLimit else { return nil }
        let text = "the data source's limit of \(timeLimit) for the whole request is over"
        let error = URLError(.timedOut, userInfo: [NSLocalizedDescriptionKey: text])
        if timeLimit <= .zero { throw error }
        return clock.schedule(after: timeLimit) { [weak owner] in owner?.interrupt(with: error) }
    }
}
