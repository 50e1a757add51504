import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request through a URLSession: a session task for it, and one more for each redirect that is followed.
///
/// It answers once: `state.completion` is taken out by whoever ends the exchange.
final class URLSessionExchange: DataTask {
    typealias Completion = @Sendable (Data?, URLResponse?, (any Error)?) -> Void

    private let session: URLSession
    private let exchanges: URLSessionExchanges
    private let redirectPolicy: RedirectPolicy
    private let timeout: Duration?
    private let state: Lock<State>

    private struct State: Sendable {
        var request: URLRequest
        /// Nil once the exchange has ended.
        var completion: Completion?
        var isRunning = false
        var task: URLSessionDataTask?
        var response: URLResponse?
        var data = Data()
        var redirectCount = 0
        var deadline: Task<Void, any Error>?
    }

    init(
        request: URLRequest, session: URLSession, exchanges: URLSessionExchanges,
        redirectPolicy: RedirectPolicy,
        timeout: Duration?, completion: @escaping Completion
    ) {
        self.session = session
        self.exchanges = exchanges
        self.redirectPolicy = redirectPolicy
        self.timeout = timeout
        state = Lock(State(request: request, completion: completion))
    }

    // A session task's resume and suspend are called under the lock, so that the last call wins. They don't call
    // back: delegates are called on a queue of their own.

    func resume() {
        let isFirst = state.withLock { state in
            guard state.completion != nil else { return false }
            state.isRunning = true
            if let task = state.task {
                task.resume()
                return false
            }
            startTask(&state)
            return true
        }
        if isFirst, let timeout { startDeadline(timeout) }
    }

    func suspend() {
        state.withLock { state in
            state.isRunning = false
            state.task?.suspend()
        }
    }

    func cancel() {
        end(with: URLError(.cancelled))
    }

    private func startTask(_ state: inout State) {
        let task = session.dataTask(with: state.request)
        exchanges.add(self, for: task)
        state.task = task
        state.response = nil
        state.data = Data()
        if state.isRunning { task.resume() }
    }

    private func startDeadline(_ timeout: Duration) {
        let deadline = Task.after(timeout) { [weak self] in self?.end(with: URLError(.timedOut)) }
        let isNeeded = state.withLock { state in
            state.deadline = deadline
            return state.completion != nil
        }
        if !isNeeded { deadline.cancel() }
    }

    /// Ends the exchange at once, and has the session end its task when it can.
    private func end(with error: URLError) {
        let task = state.withLock { $0.task }
        finish(nil, nil, error)
        guard let task else { return }
        #if canImport(FoundationNetworking)
            // Where a cancel meets the end of its task, the task registry calls fatalError. Tasks end on the
            // delegate queue, so there the two can't meet.
            session.delegateQueue.addOperation { task.cancel() }
        #else
            task.cancel()
        #endif
    }

    private func finish(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) {
        let (completion, deadline) = state.withLock { state in
            state.data = Data()
            return (state.completion.take(), state.deadline.take())
        }
        deadline?.cancel()
        completion?(data, response, error)
    }
}

// MARK: - The session's events

extension URLSessionExchange {
    func receive(_ response: URLResponse) {
        state.withLock { state in
            state.response = response
            state.data = Data()
        }
    }

    func receive(_ data: Data) {
        state.withLock { state in
            if state.completion == nil { return }
            if state.data.isEmpty { state.data = data } else { state.data.append(data) }
        }
    }

    func complete(_ task: URLSessionTask, _ error: (any Error)?) {
        let (request, response, data, count) = state.withLock { state in
            (state.request, state.response ?? task.response, state.data, state.redirectCount)
        }
        let http = response as? HTTPURLResponse
        if let error, !(http?.statusCode == 401 && (error as? URLError)?.code == .cancelled) {
            return finish(nil, nil, error)
        }
        do {
            guard let http, let next = try redirectPolicy.request(after: http, to: request, count: count)
            else {
                return finish(data, response, nil)
            }
            follow(next)
        } catch {
            finish(nil, nil, error)
        }
    }

    private func follow(_ request: URLRequest) {
        state.withLock { state in
            guard state.completion != nil else { return }
            state.request = request
            state.redirectCount += 1
            startTask(&state)
        }
    }
}
