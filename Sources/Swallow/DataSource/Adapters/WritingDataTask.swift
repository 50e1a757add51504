import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The task of a request that isn't safe (RFC 9110 §9.2.1): from its start on, answers that are on their way may be out of
/// date, so no other task joins them.
struct WritingDataTask: DataTask {
    let base: any DataTask
    let exchanges: CoalescedExchanges
    /// The URL without its query.
    let location: Substring

    func resume() {
        exchanges.close(location)
        base.resume()
    }

    func suspend() { base.suspend() }
    func cancel() { base.cancel() }
    func stream(to receiver: @escaping @Sendable (ResponsePart) -> Void) { base.stream(to: receiver) }
    var transferProgress: TransferProgress { base.transferProgress }
    var transferMetrics: TransferMetrics? { base.transferMetrics }
    var trailers: Headers { base.trailers }
}
