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
    func setPause(_ pause: TransferPause) {}
    func cancel() {}
    var facts: TransferFacts { TransferFacts() }
}

/// Allows an exchange to send the transfers of one attempt. The data source's timeout or `shutDown` can fail them.
struct AttemptPermit: Sendable {
    fileprivate let attempts: OpenAttempts
    let id: Int

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
        let owner: any ExchangeOwner
        var timer: ScheduledWork?
    }

    fileprivate struct State: Sendable {
        var attempts: [Int: Attempt] = [:]
        var lastID = 0
        var isClosed = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    fileprivate let state = Lock(State())

    /// Opens an attempt. Returns `nil` after a shutdown. May be called under the owner's lock.
    func open(for owner: any ExchangeOwner) -> AttemptPermit? {
        state.withLock { state in
            if state.isClosed { return nil }
            state.lastID += 1
            state.attempts[state.lastID] = Attempt(owner: owner)
            return AttemptPermit(attempts: self, id: state.lastID)
        }
    }

    fileprivate func fail(_ id: Int, with error: any Error) {
        let owner = state.withLock { $0.attempts[id]?.owner }
        owner?.failAttempt(id, with: error)
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
