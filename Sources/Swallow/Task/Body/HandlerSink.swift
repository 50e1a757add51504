import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Hands a body's parts to a handler on a queue, one at a time.
final class HandlerSink: BodySink {
    typealias Handler = @Sendable (Data) throws -> Void
    typealias Completion = @Sendable (Result<Entity<any Sendable>, ServiceError>) -> Void

    fileprivate struct State: Sendable {
        /// Nil once no more parts are to be delivered.
        var handler: Handler?
        var parts = Backlog<Data>(high: BodyBuffer.capacity, low: BodyBuffer.capacity / 4)
        var flow: BodyFlow?
        var isRunning = false
        var completion: Completion?
        /// What the handler has thrown.
        var failure: ServiceError?
    }

    private let queue: DispatchQueue
    private let state: Lock<State>

    init(_ queue: DispatchQueue, _ handler: @escaping Handler) {
        self.queue = queue
        state = Lock(State(handler: handler))
    }

    var receivesFailure: Bool { false }

    func begin(_ head: HTTPURLResponse, _ flow: BodyFlow) {
        state.withLock { $0.flow = flow }
    }

    func receive(_ bytes: Data) {
        let (starts, isFull) = state.withLock { state in
            guard state.handler != nil else { return (false, false) }
            let isFull = state.parts.add(bytes)
            return (state.start(), isFull)
        }
        if isFull { adjust() }
        if starts { queue.async { self.run() } }
    }

    func finish(_ completion: @escaping Completion) {
        let starts = state.withLock { state in
            state.completion = completion
            return state.start()
        }
        if starts { queue.async { self.run() } }
    }

    func fail(_ error: ServiceError) { _ = stop() }

    /// Runs on the queue, as any handler of the chain.
    func takeWhole(_ head: HTTPURLResponse, _ bytes: Data) throws {
        let handler = state.withLock { $0.handler.take() }
        if !bytes.isEmpty { try handler?(bytes) }
    }

    /// Drops the parts. Returns the handler and the completion, to be released outside the lock.
    private func stop(_ failure: ServiceError? = nil) -> (Handler?, Completion?) {
        state.withLock { state in
            state.failure = state.failure ?? failure
            state.parts.removeAll()
            return (state.handler.take(), state.completion.take())
        }
    }
}

extension HandlerSink.State {
    /// Marks the delivery as running; returns whether the caller has to start it.
    fileprivate mutating func start() -> Bool {
        defer { isRunning = true }
        return !isRunning
    }
}

extension HandlerSink {
    fileprivate enum Step {
        case handle(Data, Handler, BodyFlow?, mayGoOn: Bool)
        case complete(Completion)
        case rest
    }

    /// Delivers the waiting parts; runs on the queue.
    private func run() {
        while true {
            switch state.withLock({ $0.nextStep() }) {
            case .rest: return
            case .handle(let part, let handler, let flow, let mayGoOn):
                if mayGoOn { adjust() }
                // After a cancel() on this very queue no part is delivered.
                guard flow?.isOpen ?? true else { continue }
                do {
                    try handler(part)
                } catch {
                    let error = ServiceError(thrown: error)
                    let (_, completion) = stop(error)
                    if let completion { completion(.failure(error)) } else { flow?.fail(with: error) }
                }
                // One part for each turn of the main queue, so that other work gets its turn.
                if queue.isMain { return queue.async { self.run() } }
            case .complete(let completion):
                let failure = state.withLock { $0.failure }
                _ = stop()
                completion(failure.map(Result.failure) ?? .success(Entity(content: Data())))
            }
        }
    }

    /// Pauses the data source while too many parts wait, else lets it go on.
    private func adjust() {
        state.withLock { $0.flow }?.update { state.withLock { $0.parts.isFull } }
    }
}

extension HandlerSink.State {
    fileprivate mutating func nextStep() -> HandlerSink.Step {
        let wasFull = parts.isFull
        if let handler, let part = parts.take() {
            return .handle(part, handler, flow, mayGoOn: wasFull && !parts.isFull)
        }
        isRunning = false
        return completion.take().map(HandlerSink.Step.complete) ?? .rest
    }
}

extension ServiceTask {
    /// Hands each part of the body, as it comes, to a handler on the main actor: the next one only after it has returned.
    ///
    /// The body is claimed, as by ``body``: handlers that follow run after the last part, and see the head and no bytes. What
    /// the handler throws fails the chain and stops the transfer. A transfer that fails drops the parts that wait for the
    /// handler; a loop over ``body`` gets them before the error, unless the task was cancelled. A body that was claimed
    /// before fails the chain with `.invalidRequest`.
    @discardableResult
    public func responseStream(_ handler: @escaping @MainActor (Data) throws -> Void) -> Self {
        responseStream(.mainActor) { part in try MainActor.assumeIsolated { try handler(part) } }
    }

    /// Hands each part of the body, as it comes, to a handler on a queue: the next one only after it has returned.
    @discardableResult
    public func responseStream(
        _ queue: DispatchQueue, _ handler: @escaping @Sendable (Data) throws -> Void
    ) -> Self {
        do throws(ServiceError) {
            try claim(HandlerSink(queue, handler), on: queue)
        } catch {
            attach(HandlerLink(queue, .head) { _ in throw error })
        }
        return self
    }
}
