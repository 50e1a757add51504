import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Joins the exchange of an identical request when the task is first resumed. If the task's body is streamed, the task
/// closes its exchange to other tasks, or leaves a shared exchange and sends its own request.
final class JoinOperation: DataTaskOperation {
    private let key: CoalescingKey
    private let source: any SessionDataTaskDataSource
    private let exchanges: CoalescedExchanges
    private let output: DataTaskOutput
    /// `nil` before the start and after a cancel.
    private let place = Lock<JointExchange.Place?>(nil)

    init(
        _ key: CoalescingKey, _ source: any SessionDataTaskDataSource, _ exchanges: CoalescedExchanges,
        _ output: DataTaskOutput
    ) {
        (self.key, self.source, self.exchanges, self.output) = (key, source, exchanges, output)
    }

    deinit {
        // After its task is released, the place can't be resumed.
        currentPlace?.leaveIfSuspended()
    }

    func start(inParts: Bool) {
        if inParts { return startAlone(isSuspended: false) }
        let place = exchanges.join(key, output)
        self.place.withLock { $0 = place }
        place.resume()
        if place.isFirst { place.exchange.send(key.request, to: source) }
    }

    func deliverParts() {
        guard let place = currentPlace else { return }
        if exchanges.close(key, place) { return place.exchange.deliverParts() }
        let isSuspended = place.isSuspended
        // If the shared exchange is completing already, the task receives its result.
        if place.leave() { startAlone(isSuspended: isSuspended) }
    }

    func suspend() { currentPlace?.suspend() }
    func resume() { currentPlace?.resume() }
    func cancel() { place.withLock { $0.take() }?.leave() }

    var facts: TransferFacts { currentPlace?.exchange.facts ?? TransferFacts() }

    private var currentPlace: JointExchange.Place? { place.withLock { $0 } }

    private func startAlone(isSuspended: Bool) {
        let place = JointExchange.opened(by: output) { _ in }
        // Releases the former place outside the lock.
        _ = self.place.withLock { current in
            defer { current = place }
            return current
        }
        place.exchange.deliverParts()
        if !isSuspended { place.resume() }
        place.exchange.send(key.request, to: source)
    }
}
