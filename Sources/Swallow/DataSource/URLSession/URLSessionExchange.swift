import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request through a URLSession: a session task for it, and one more for each redirect that is followed.
///
/// On Linux, a session's own `suspend()` and `cancel()` abort the process where they meet the end of a task or a
/// redirect. There, a suspended exchange lets its task go on and holds the answer back, and cancels go through
/// the delegate queue, on which tasks end and redirects are declined.
final class URLSessionExchange: DataTask {
    /// Held, since it invalidates the session when it goes away, and an invalid session that is asked for the task
    /// of a redirect aborts the process on Linux.
    private let source: URLSessionDataSource
    private let session: URLSession
    private let exchanges: URLSessionExchanges
    private let redirectPolicy: RedirectPolicy
    private let timeout: Duration?
    private let answer: Answer
    private let state: Lock<State>

    private struct State: Sendable {
        var request: URLRequest
        var isRunning = false
        var task: URLSessionDataTask?
        /// What the session was told of its task; a cancel and a declined redirect exclude each other.
        var progress = Progress.created
        var response: URLResponse?
        var data = Data()
        var redirectCount = 0
        var deadline: Task<Void, any Error>?
    }

    private enum Progress { case created, started, redirectDeclined, cancelled }

    init(
        request: URLRequest, source: URLSessionDataSource, session: URLSession,
        exchanges: URLSessionExchanges, redirectPolicy: RedirectPolicy, timeout: Duration?,
        completion: @escaping Answer.Completion
    ) {
        self.source = source
        self.session = session
        self.exchanges = exchanges
        self.redirectPolicy = redirectPolicy
        self.timeout = timeout
        answer = Answer(completion)
        state = Lock(State(request: request))
    }

    // A session task is made, resumed and suspended under the lock, so that the last call wins. That doesn't call
    // back into an exchange: delegates are called on a queue of their own.

    func resume() {
        answer.resume()
        let isFirst = state.withLock { state in
            guard answer.isDue else { return false }
            state.isRunning = true
            let isFirst = state.task == nil
            if isFirst { makeTask(&state) } else { run(&state) }
            return isFirst
        }
        if isFirst, let timeout { startDeadline(timeout) }
    }

    func suspend() {
        answer.suspend()
        state.withLock { state in
            state.isRunning = false
            #if !canImport(FoundationNetworking)
                state.task?.suspend()
            #endif
        }
    }

    func cancel() {
        end(with: URLError(.cancelled))
    }

    private func makeTask(_ state: inout State) {
        let task = session.dataTask(with: state.request)
        exchanges.add(self, for: task)
        state.task = task
        state.progress = .created
        state.response = nil
        state.data = Data()
        if state.isRunning { run(&state) }
    }

    private func run(_ state: inout State) {
        #if canImport(FoundationNetworking)
            guard state.progress == .created else { return }
        #endif
        if state.progress == .created { state.progress = .started }
        state.task?.resume()
    }

    private func startDeadline(_ timeout: Duration) {
        let deadline = Task.after(timeout) { [weak self] in self?.end(with: URLError(.timedOut)) }
        state.withLock { $0.deadline = deadline }
        if !answer.isDue { deadline.cancel() }
    }

    /// Ends the exchange at once, and has the session end its task when it can.
    private func end(with error: URLError) {
        answer.end(with: error)
        let (task, deadline) = state.withLock { state in
            state.data = Data()
            return (state.task, state.deadline.take())
        }
        deadline?.cancel()
        guard let task else { return }
        #if canImport(FoundationNetworking)
            session.delegateQueue.addOperation { self.cancel(task) }
        #else
            task.cancel()
        #endif
    }

    #if canImport(FoundationNetworking)
        /// Cancels a session task on the delegate queue, unless it is about to end after a redirect.
        private func cancel(_ task: URLSessionDataTask) {
            let cancels = state.withLock { state in
                if state.progress == .redirectDeclined { return false }
                state.progress = .cancelled
                return true
            }
            if cancels { task.cancel() }
        }
    #endif

    private func finish(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) {
        let deadline = state.withLock { state in
            state.data = Data()
            return state.deadline.take()
        }
        deadline?.cancel()
        answer.give(data, response, error)
    }
}

// MARK: - The session's events, on its delegate queue

extension URLSessionExchange {
    func receive(_ response: URLResponse) {
        state.withLock { state in
            state.response = response
            state.data = Data()
        }
    }

    func receive(_ data: Data) {
        guard answer.isDue else { return }
        state.withLock { state in
            if state.data.isEmpty { state.data = data } else { state.data.append(data) }
        }
    }

    /// Whether the session is to be told that its task doesn't follow a redirect; a cancelled one it isn't.
    func declinesRedirect() -> Bool {
        state.withLock { state in
            if state.progress == .cancelled { return false }
            state.progress = .redirectDeclined
            return true
        }
    }

    func complete(_ task: URLSessionTask, _ error: (any Error)?) {
        let (request, response, data, count) = state.withLock { state in
            (state.request, state.response ?? task.response, state.data, state.redirectCount)
        }
        let http = response as? HTTPURLResponse
        // On Linux a 401 without credentials ends as a cancelled challenge.
        if let error, !(http?.statusCode == 401 && (error as? URLError)?.code == .cancelled) {
            return finish(nil, nil, error)
        }
        do {
            guard let http, let next = try redirectPolicy.request(after: http, to: request, count: count)
            else { return finish(data, response, nil) }
            follow(next)
        } catch {
            finish(nil, nil, error)
        }
    }

    private func follow(_ request: URLRequest) {
        state.withLock { state in
            guard answer.isDue else { return }
            state.request = request
            state.redirectCount += 1
            makeTask(&state)
        }
    }
}
