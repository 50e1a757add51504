import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One attempt through a session.
///
/// On Linux, a session's own `suspend()` and `cancel()` abort the process where they meet the end of a task or a
/// redirect. There, a suspended task goes on, and cancels go through the delegate queue, on which tasks end and
/// redirects are declined.
final class SessionDataTask: DataTask {
    private struct State: Sendable {
        /// Nil once nobody waits for the response.
        var attempt: RelayAttempt?
        var progress = Progress.created
        var response: URLResponse?
        var body = Data()
        /// How much of a rejected response's body was dropped.
        var dropped = 0
    }

    /// What the session was told; a cancel and a declined redirect exclude each other.
    private enum Progress { case created, started, redirectDeclined, cancelled }

    private let session: URLSession
    private let task: URLSessionDataTask
    private let maximumSize: Int
    private let state: Lock<State>

    /// How much of a rejected response's body may come, so that the connection is kept.
    private static let drainLimit = 64 * 1024

    init(_ task: URLSessionDataTask, _ session: URLSession, _ attempt: RelayAttempt, maximumSize: Int) {
        self.task = task
        self.session = session
        self.maximumSize = maximumSize
        state = Lock(State(attempt: attempt))
    }

    func resume() {
        let starts = state.withLock { state in
            guard state.attempt != nil else { return false }
            defer { if state.progress == .created { state.progress = .started } }
            #if canImport(FoundationNetworking)
                return state.progress == .created
            #else
                return true
            #endif
        }
        if starts { task.resume() }
    }

    func suspend() {
        #if !canImport(FoundationNetworking)
            // A session's task counts, and is suspended once by its making.
            if state.withLock({ $0.progress != .created }) { task.suspend() }
        #endif
    }

    func cancel() {
        // Let go of outside the lock, together with the body.
        let previous = state.withLock { state in
            let previous = state
            (state.attempt, state.body) = (nil, Data())
            return previous
        }
        withExtendedLifetime(previous) { stop() }
    }

    /// Ends the session's task, when that can be.
    private func stop() {
        #if canImport(FoundationNetworking)
            session.delegateQueue.addOperation {
                let cancels = self.state.withLock { state in
                    if state.progress == .redirectDeclined { return false }
                    state.progress = .cancelled
                    return true
                }
                if cancels { self.task.cancel() }
            }
        #else
            task.cancel()
        #endif
    }
}

// MARK: - The session's events, on its delegate queue

extension SessionDataTask {
    func receive(_ response: URLResponse) {
        let attempt = state.withLock { state in
            state.response = response
            state.body = Data()
            return state.attempt
        }
        guard let attempt, let head = response as? HTTPURLResponse, attempt.receiveHead(head) else { return }
        state.withLock { $0.attempt = nil }
    }

    func receive(_ data: Data) {
        let (isTooMuch, attempt) = state.withLock { state -> (Bool, RelayAttempt?) in
            if state.attempt == nil {
                state.dropped += data.count
                return (state.dropped > Self.drainLimit, nil)
            }
            if data.count > maximumSize - state.body.count {
                state.body = Data()
                return (true, state.attempt.take())
            }
            if state.body.isEmpty { state.body = data } else { state.body.append(data) }
            return (false, nil)
        }
        guard isTooMuch else { return }
        stop()
        attempt?.receive(.failure(ResponseSize.error(over: maximumSize, url: task.originalRequest?.url)))
    }

    /// Whether the session is to be told that its task doesn't follow a redirect; a cancelled one it isn't.
    func declinesRedirect() -> Bool {
        state.withLock { state in
            if state.progress == .cancelled { return false }
            state.progress = .redirectDeclined
            return true
        }
    }

    func complete(_ error: (any Error)?) {
        let (attempt, response, body) = state.withLock { state in
            defer { state.body = Data() }
            return (state.attempt.take(), state.response ?? task.response, state.body)
        }
        // On Linux a 401 without credentials ends as a cancelled challenge.
        let isUnauthorized = (response as? HTTPURLResponse)?.statusCode == 401
        if let error, !(isUnauthorized && (error as? URLError)?.code == .cancelled) {
            attempt?.receive(.failure((error as? URLError)?.code == .timedOut ? timeout : error))
        } else {
            attempt?.receive(Ending(body, response, nil))
        }
    }

    /// The error of a session that waited too long, which doesn't say how long.
    private var timeout: URLError {
        let request = task.originalRequest
        let seconds = request?.timeoutInterval ?? session.configuration.timeoutIntervalForRequest
        var information: [String: Any] = [
            NSLocalizedDescriptionKey: "no byte came for \(seconds) seconds"
        ]
        if let url = request?.url { information[NSURLErrorFailingURLErrorKey] = url }
        return URLError(.timedOut, userInfo: information)
    }
}
