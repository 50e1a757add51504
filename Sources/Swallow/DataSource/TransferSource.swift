import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A data source whose transfers an exchange uses directly. The exchange belongs to a service's task, or to an
/// ``ExchangeDataTask`` if there is a data source adapter. The exchange follows the redirects.
protocol TransferSource: AnyObject, SizedDataSource {
    var redirectPolicy: RedirectPolicy { get }
    /// The maximum total time of all transfers of an attempt. `nil` means no limit.
    var timeLimit: Duration? { get }
    var openAttempts: OpenAttempts { get }
    /// Starts the resources that transfers need, unless they were started before. Does nothing by default.
    func start() throws
    /// Returns a transfer that has not started.
    func transfer(for request: URLRequest, to receiver: TransferReceiver) -> any Transfer
    /// Whether events arrive on the thread of an event loop, which must not be blocked and must not run code of the app.
    /// `false` by default.
    var hasEventLoop: Bool { get }
}

extension TransferSource {
    func start() throws {}

    var hasEventLoop: Bool { false }

    /// Begins an attempt.
    ///
    /// - Throws: An error if the data source can't start, takes no more requests, or has a time limit of zero.
    func beginAttempt(_ clock: any ServiceClock) throws -> AttemptPermit {
        let timeout = timeLimit.map { limit in
            let text = "the data source's timeout of \(limit) for the complete request has passed"
            return URLError(.timedOut, userInfo: [NSLocalizedDescriptionKey: text])
        }
        if let timeout, let timeLimit, timeLimit <= .zero { throw timeout }
        try start()
        let permit = AttemptPermit(openAttempts)
        guard openAttempts.add(permit) else {
            throw URLError(
                .cancelled, userInfo: [NSLocalizedDescriptionKey: "the data source was shut down"])
        }
        if let timeout, let timeLimit { permit.startTimer(clock, timeLimit, timeout) }
        return permit
    }

    /// Returns a transfer of an attempt. It fails when it is started if the request can't be sent.
    func transfer(
        for request: URLRequest, of permit: AttemptPermit, to receiver: TransferReceiver
    ) -> any Transfer {
        let problem = permit.failure ?? request.problemToSend
        return problem.map { FailedTransfer($0, receiver) } ?? self.transfer(for: request, to: receiver)
    }
}

extension ExchangeOwner {
    /// Starts an attempt with its first transfer.
    func beginAttempt(
        _ request: URLRequest, through source: any TransferSource, _ clock: any ServiceClock, number: Int
    ) throws {
        let permit = try source.beginAttempt(clock)
        guard withExchange({ $0.takePermit(permit, number: number) }) else { return permit.end() }
        beginTransfer(for: request, of: permit, through: source, number: number)
    }

    /// Starts another transfer of an attempt.
    func beginTransfer(
        for request: URLRequest, of permit: AttemptPermit, through source: any TransferSource, number: Int
    ) {
        let transfer = source.transfer(for: request, of: permit, to: receiver(number))
        begin(transfer, number: number, sending: request)
    }
}

extension SessionDataTaskDataSource {
    /// The data source, if exchanges can use its transfers.
    var asTransferSource: (any TransferSource)? {
        // A failed cast of a value takes 0.19 µs, but a failed check of its type takes only 0.03 µs.
        type(of: self) is any TransferSource.Type ? self as? any TransferSource : nil
    }
}

/// A transfer that fails when it is started.
final class FailedTransfer: Transfer {
    private let receiver: Lock<TransferReceiver?>
    private let error: any Error

    init(_ error: any Error, _ receiver: TransferReceiver) {
        self.error = error
        self.receiver = Lock(receiver)
    }

    func start(_ delivery: BodyDelivery) { fail(with: error) }

    func fail(with error: any Error) {
        receiver.withLock { $0.take() }?.complete(.failure(error, nil))
    }

    func cancel() {
        // The receiver is released outside the lock.
        let receiver = receiver.withLock { $0.take() }
        withExtendedLifetime(receiver) {}
    }

    func deliverParts() {}
    func setPaused(_ isPaused: Bool, change: Int) {}
    var facts: TransferFacts { TransferFacts() }
}
