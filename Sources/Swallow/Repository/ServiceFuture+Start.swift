import Dispatch

extension ServiceFuture {
    /// Starts the work, and hands its outcome to a handler on the main actor, once.
    ///
    /// The main actor needs a main thread that is free: command-line tools and servers `await`, or name a queue.
    ///
    /// - Returns: what cancels the work. After a `cancel()` on the main actor the handler gets `.cancelled`, also where
    ///   the value is there already but was not yet handed over.
    @discardableResult
    public func start(
        _ handler: @escaping @MainActor (Result<Value, ServiceError>) -> Void
    ) -> StartedFuture {
        if let request {
            return request.start(.mainActor) { result in MainActor.assumeIsolated { handler(result) } }
        }
        let task = Task {
            let result = await runUnlessCancelled()
            await MainActor.run { handler(unlessCancelled(result)) }
        }
        return StartedFuture(work: .steps(task))
    }

    /// Starts the work, and hands its outcome to a handler on a queue, once.
    ///
    /// - Returns: what cancels the work. After its `cancel()` the handler gets `.cancelled`, unless the outcome was on
    ///   its way to the queue.
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

/// A ``ServiceFuture`` that was started with a handler. It can be cancelled and waited for.
///
/// It needn't be kept: the work goes on without it.
public struct StartedFuture: Sendable {
    enum Work: Sendable {
        case request(ServiceTask)
        case steps(Task<Void, Never>)
    }

    let work: Work

    /// Ends the work: its handler gets `.cancelled`, unless it has had its outcome or, off the main actor, is about
    /// to get it.
    public func cancel() {
        switch work {
        case .request(let task): task.cancel()
        case .steps(let task): task.cancel()
        }
    }

    /// Waits until the handler has run.
    public func finished() async {
        switch work {
        case .request(let task): _ = try? await task.data
        case .steps(let task): await task.value
        }
    }
}
