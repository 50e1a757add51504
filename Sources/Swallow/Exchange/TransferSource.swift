import Foundation

/// A data source whose transfers an exchange uses directly. The exchange follows redirects.
protocol TransferSource: AnyObject, Sendable {
    var redirectPolicy: RedirectPolicy { get }
    var attemptTimeout: Duration? { get }
    var openAttempts: OpenAttempts { get }
    func start() throws
    func transfer(for request: URLRequest, to receiver: TransferReceiver) -> any Transfer
    var hasEventLoop: Bool { get }
}

extension TransferSource {
    func start() throws {}
    var hasEventLoop: Bool { false }

    /// Throws if the data source can't start, was shut down, or has a timeout of zero or less.
    func beginAttempt(_ clock: any ServiceClock) throws -> AttemptPermit {
        let timeout = attemptTimeout.map { limit in
            let text = "the data source's timeout of \(limit) for the complete request has passed"
            return URLError(.timedOut, userInfo: [NSLocalizedDescriptionKey: text])
        }
        if let timeout, let attemptTimeout, attemptTimeout <= .zero { throw timeout }
        try start()
        guard let permit = openAttempts.begin() else {
            throw URLError(
                .cancelled, userInfo: [NSLocalizedDescriptionKey: "the data source was shut down"])
        }
        if let timeout, let attemptTimeout {
            openAttempts.startTimer(of: permit, clock, attemptTimeout, timeout)
        }
        return permit
    }
}

extension ExchangeOwner {
    func beginAttempt(
        _ request: URLRequest, through source: any TransferSource, _ clock: any ServiceClock, number: Int
    ) throws {
        send(request, through: source, of: try source.beginAttempt(clock), number: number)
    }

    func send(
        _ request: URLRequest, through source: any TransferSource, of permit: AttemptPermit, number: Int
    ) {
        let receiver = receiver(number)
        let transfer =
            request.problemToSend.map { FailedTransfer($0, receiver) }
            ?? source.transfer(for: request, to: receiver)
        begin(transfer, number: number, sending: request, of: permit)
    }
}

final class FailedTransfer: Transfer {
    private let receiver: Lock<TransferReceiver?>
    private let error: any Error

    init(_ error: any Error, _ receiver: TransferReceiver) {
        self.error = error
        self.receiver = Lock(receiver)
    }

    func start(inParts: Bool) { fail(with: error) }

    func fail(with error: any Error) {
        receiver.withLock { $0.take() }?.receiveCompletion(.failure(error, nil))
    }

    func cancel() {
        let receiver = receiver.withLock { $0.take() }
        withExtendedLifetime(receiver) {}
    }

    func deliverParts() {}
    func setPaused(_ isPaused: Bool) {}
    var facts: TransferFacts { TransferFacts() }
}
