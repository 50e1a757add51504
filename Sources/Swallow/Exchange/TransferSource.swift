import Foundation

/// A data source whose transfers an exchange uses directly. The exchange follows redirects.
protocol TransferSource: AnyObject, Sendable {
    var redirectPolicy: RedirectPolicy { get }
    var attemptTimeout: Duration? { get }
    var openAttempts: OpenAttempts { get }
    func transfer(for request: URLRequest) -> any Transfer
    var hasEventLoop: Bool { get }
}

extension TransferSource {
    var hasEventLoop: Bool { false }
}

extension TransferSource {
    /// The error of a request that must not be sent.
    func problem(with request: URLRequest) -> (any Error)? {
        if let limit = attemptTimeout, limit <= .zero { return URLError.timeout(ofCompleteRequest: limit) }
        // RFC 9110 §9.3.8 forbids this.
        if request.httpMethod == "TRACE",
            request.httpBody?.isEmpty == false || request.httpBodyStream != nil
        {
            return ServiceError(.invalidRequest, detail: "a TRACE request can't have a body")
        }
        return nil
    }
}

extension URLError {
    static func timeout(ofCompleteRequest limit: Duration) -> URLError {
        let text = "the data source's timeout of \(limit) for the complete request has passed"
        return URLError(.timedOut, userInfo: [NSLocalizedDescriptionKey: text])
    }
}

final class FailedTransfer: Transfer {
    private let error: any Error

    init(_ error: any Error) {
        self.error = error
    }

    func start(inParts: Bool, for receiver: TransferReceiver) { fail(with: error, for: receiver) }

    func fail(with error: any Error, for receiver: TransferReceiver) {
        receiver.receiveCompletion(.failure(error, nil))
    }

    func deliverParts() {}
    func setPaused(_ isPaused: Bool) {}
    func cancel() {}
    var facts: TransferFacts { TransferFacts() }
}

/// Allows an exchange to send the transfers of one attempt. The data source's timeout or `shutDown` can fail them.
struct AttemptPermit: Sendable {
    fileprivate let attempts: OpenAttempts
    fileprivate let id: Int

    var failure: (any Error)? { attempts.state.withLock { $0.attempts[id]?.failure } }

    /// Fails the attempt after a time limit.
    func limit(to limit: Duration, _ clock: any ServiceClock) {
        let timer = clock.schedule(after: limit) { [weak attempts, id] in
            attempts?.fail(id, with: URLError.timeout(ofCompleteRequest: limit))
        }
        let isOpen = attempts.state.withLock { state in
            state.attempts[id]?.timer = timer
            return state.attempts[id] != nil
        }
        if !isOpen { timer.cancel() }
    }

    func end() {
        let (attempt, waiters) = attempts.state.withLock { state in
            let attempt = state.attempts.removeValue(forKey: id)
            defer { if state.attempts.isEmpty { state.waiters = [] } }
            return (attempt, state.attempts.isEmpty ? state.waiters : [])
        }
        attempt?.timer?.cancel()
        for waiter in waiters { waiter.resume() }
    }
}

final class OpenAttempts: Sendable {
    fileprivate struct Attempt: Sendable {
        var transfer: any Transfer
        var receiver: TransferReceiver
        var failure: (any Error)?
        var timer: ScheduledWork?
    }

    fileprivate struct State: Sendable {
        var attempts: [Int: Attempt] = [:]
        var lastID = 0
        var isClosed = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    fileprivate let state = Lock(State())

    typealias Use = (permit: AttemptPermit?, isNew: Bool, failure: (any Error)?)

    /// Notes an attempt's transfer. Without a permit, opens a new attempt. Called under the owner's lock. The owner then
    /// limits a new attempt, and fails the transfer with the returned failure, if any.
    func use(_ transfer: any Transfer, _ receiver: TransferReceiver, for permit: AttemptPermit?) -> Use {
        state.withLock { state in
            if let permit {
                state.attempts[permit.id]?.transfer = transfer
                state.attempts[permit.id]?.receiver = receiver
                return (permit, isNew: false, state.attempts[permit.id]?.failure)
            }
            if state.isClosed {
                let text = "the data source was shut down"
                return (nil, isNew: false, URLError(.cancelled, userInfo: [NSLocalizedDescriptionKey: text]))
            }
            state.lastID += 1
            state.attempts[state.lastID] = Attempt(transfer: transfer, receiver: receiver)
            return (AttemptPermit(attempts: self, id: state.lastID), isNew: true, nil)
        }
    }

    /// Fails the attempt's current transfer. If a redirect replaces it, the next transfer also fails.
    fileprivate func fail(_ id: Int, with error: any Error) {
        let attempt = state.withLock { state -> Attempt? in
            guard let attempt = state.attempts[id], attempt.failure == nil else { return nil }
            state.attempts[id]?.failure = error
            return attempt
        }
        if let attempt { attempt.transfer.fail(with: error, for: attempt.receiver) }
    }

    /// Waits for the open attempts. After `limit` or a cancellation, calls `willCancel` and then fails the attempts.
    func close(within limit: Duration, willCancel: @escaping @Sendable () -> Void = {}) async {
        state.withLock { $0.isClosed = true }
        let deadline = SystemClock.system.schedule(after: limit) {
            willCancel()
            self.failAll()
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if !state.attempts.isEmpty { state.waiters.append(continuation) }
                    return state.attempts.isEmpty
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            willCancel()
            failAll()
        }
        deadline.cancel()
    }

    private func failAll() {
        let ids = state.withLock { Array($0.attempts.keys) }
        for id in ids { fail(id, with: URLError(.cancelled)) }
    }
}
