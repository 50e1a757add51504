import Dispatch
import Swallow

extension ServiceFuture {
    /// Starts the work and passes its outcome to a handler on the main actor, exactly once. The handler can't run while
    /// the main thread is blocked.
    ///
    /// - Returns: A handle. If you cancel it on the main actor before the handler runs, the handler receives no value,
    ///   unless a `recover` handler of the request's task returns one.
    @discardableResult
    public func start(
        _ handler: @escaping @MainActor (Result<Value, ServiceError>) -> Void
    ) -> StartedFuture {
        if let request {
            return request.start(.main) { result in MainActor.assumeIsolated { handler(result) } }
        }
        let task = Task {
            let result = await runUnlessCancelled()
            await MainActor.run { handler(unlessCancelled(result)) }
        }
        return StartedFuture(work: .steps(task))
    }

    /// Starts the work and passes its outcome to a handler on a queue, exactly once.
    ///
    /// - Returns: A handle to cancel the work.
    @discardableResult
    public func start(
        _ queue: DispatchQueue, _ handler: @escaping @Sendable (Result<Value, ServiceError>) -> Void
    ) -> StartedFuture {
        if let request { return request.start(queue, handler) }
        let task = Task {
            let result = await runUnlessCancelled()
            await withCheckedContinuation { continuation in
                queue.async {
                    handler(result)
                    continuation.resume()
                }
            }
        }
        return StartedFuture(work: .steps(task))
    }
}

/// A handle of a started ``ServiceFuture``. The work continues if you don't keep the handle.
public struct StartedFuture: Sendable {
    enum Work: Sendable {
        case request(ServiceTask)
        case steps(Task<Void, Never>)
    }

    let work: Work

    /// Cancels the work. A handler that hasn't run yet usually receives `.cancelled`.
    public func cancel() {
        switch work {
        case .request(let task): task.cancel()
        case .steps(let task): task.cancel()
        }
    }

    /// Waits until the handler has run. If the future is one request, cancelling the waiting Swift task ends the wait.
    public func finished() async {
        switch work {
        case .request(let task): _ = try? await task.data
        case .steps(let task): await task.value
        }
    }
}
