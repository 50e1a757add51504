import Foundation

/// A data source whose transfers an exchange uses directly. The exchange follows redirects.
protocol TransferSource: AnyObject, Sendable {
    var redirectPolicy: RedirectPolicy { get }
    var attemptTimeout: Duration? { get }
    var openAttempts: OpenAttempts { get }
    func transfer(for request: URLRequest, to receiver: TransferReceiver) -> any Transfer
    var hasEventLoop: Bool { get }
}

extension TransferSource {
    var hasEventLoop: Bool { false }
}

extension ExchangeOwner {
    /// Sends the first request of an attempt. The data source's timeout limits the attempt.
    func beginAttempt(
        _ request: URLRequest, through source: any TransferSource, _ clock: any ServiceClock, number: Int
    ) {
        guard let limit = source.attemptTimeout else {
            send(request, through: source, number: number)
            return
        }
        let text = "the data source's timeout of \(limit) for the complete request has passed"
        let error = URLError(.timedOut, userInfo: [NSLocalizedDescriptionKey: text])
        if limit > .zero {
            send(request, through: source, number: number)?.limit(to: limit, clock, error)
        } else {
            begin(FailedTransfer(error, receiver(number)), number: number, sending: request)
        }
    }

    /// Returns the permit of the attempt. `nil` if the transfer isn't wanted.
    @discardableResult
    func send(
        _ request: URLRequest, through source: any TransferSource, number: Int
    ) -> AttemptPermit? {
        let receiver = receiver(number)
        let transfer =
            request.problemToSend.map { FailedTransfer($0, receiver) }
            ?? source.transfer(for: request, to: receiver)
        return begin(transfer, number: number, sending: request, through: source)
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
