import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request and the handlers of its answer.
///
/// ```swift
/// service.GET("/stores", parameters: ["zip": "15217"])
///     .responseDecoded(as: [Store].self) { stores in self.stores = stores }
///     .responseError { error in self.message = error.userMessage }
/// ```
///
/// - **Order.** Handlers run in the order attached, one at a time, each at most once, whichever queues they name,
///   and never inside the call that attaches them. One attached after the response arrived runs all the same.
/// - **Failure.** When the request, the status check, the parsing or a handler fails, later success handlers
///   are passed over and later `responseError` handlers run, until a `recover` succeeds.
/// - **One ending.** A started task ends once, in success or in one ``ServiceError``, whatever its data source does.
/// - **Parse once.** However many handlers and `await`s read a response, it is parsed once, off the main thread.
/// - **Memory.** A running task keeps itself alive; one that has ended keeps no handler alive.
///
/// Handlers without a queue run on the main actor, which needs a main thread that is free: command-line
/// tools and servers use `await`, or name a queue.
public final class ServiceTask: Sendable {
    /// What is, or will be, sent.
    public let request: Request

    private let dataSource: any SessionDataTaskDataSource
    private let transformers: [StandardTransformer]
    private let unhandledError: (@Sendable (ServiceError) -> Void)?
    private let core = Lock(Core())

    init(
        request: Request, dataSource: any SessionDataTaskDataSource, transformers: [StandardTransformer],
        unhandledError: (@Sendable (ServiceError) -> Void)?
    ) {
        self.request = request
        self.dataSource = dataSource
        self.transformers = transformers
        self.unhandledError = unhandledError
    }

    deinit {
        guard let unhandledError else { return }
        if let error = core.withLock({ $0.chain.unreceivedFailure }) { unhandledError(error) }
    }

    /// Everything that changes, under one lock.
    private struct Core: Sendable {
        var transfer = Transfer()
        var chain = HandlerChain()
        /// Ends the transfer when the request's timeout has passed.
        var deadline: Task<Void, any Error>?

        /// Fails the transfer if it hasn't ended, or else the chain if `failsChain` says so.
        mutating func fail(with error: ServiceError, evenAfterResponse failsChain: Bool) {
            let endsTransfer = transfer.end(cancelling: true)
            if endsTransfer || failsChain { chain.fail(with: error) }
        }
    }
}

// MARK: - The task's life

extension ServiceTask {
    /// `.suspended` before `resume()` and after `suspend()`, `.running` while the request is on its way, and
    /// `.completed` once the response has arrived or the task has failed.
    ///
    /// A cancelled task ends at once, so `.canceling` is never seen.
    public var state: URLSessionTask.State {
        core.withLock { core in
            core.transfer.hasEnded ? .completed : core.transfer.isSuspended ? .suspended : .running
        }
    }

    /// Sends the request, or goes on after `suspend()`; does nothing once the task has ended.
    ///
    /// A request that can't be encoded ends the task with `.invalidURL` or `.invalidRequest`.
    @discardableResult
    public func resume() -> Self {
        if core.withLock({ $0.transfer.resume() }) { start() } else { sendSignals() }
        return self
    }

    /// Pauses the transfer until `resume()`. A timeout goes on counting.
    public func suspend() {
        core.withLock { $0.transfer.suspend() }
        sendSignals()
    }

    /// Ends the task with `.cancelled`: no further success handler is taken from the chain, and a request that
    /// was not sent never is. Does nothing once the response has arrived and every handler has run.
    public func cancel() {
        settle { core in
            core.fail(
                with: ServiceError(.cancelled, request: request), evenAfterResponse: !core.chain.isFinished)
        }
    }

    /// Fails the chain: later success handlers are passed over, later error handlers receive the error.
    ///
    /// In a handler, prefer `throw`, which needs no reference to the task. From outside of a handler it takes
    /// effect before the next handler starts, and ends a request that is still on its way. A failure that is
    /// there already gives way to this one.
    public func throwError(_ error: any Error) {
        settle { core in
            core.fail(with: ServiceError(thrown: error, request: request), evenAfterResponse: true)
        }
    }

    private func start() {
        let urlRequest: URLRequest
        do {
            urlRequest = try request.urlRequest()
        } catch {
            return settle { $0.fail(with: error, evenAfterResponse: false) }
        }
        if let timeout = request.timeout { startDeadline(timeout) }
        let receipt = Receipt(self)
        let dataTask = dataSource.dataTask(with: urlRequest) { data, response, error in
            receipt.task.receive(data, response, error)
        }
        if core.withLock({ $0.transfer.begin(dataTask) }) { sendSignals() } else { dataTask.cancel() }
    }

    private func startDeadline(_ timeout: Duration) {
        let deadline = Task.after(timeout) { [weak self] in self?.timeOut() }
        let isNeeded = core.withLock { core in
            core.deadline = deadline
            return !core.transfer.hasEnded
        }
        if !isNeeded { deadline.cancel() }
    }

    private func timeOut() {
        settle { $0.fail(with: ServiceError(.timedOut, request: request), evenAfterResponse: false) }
    }

    /// Makes a change that may end the transfer, and does what follows from it.
    private func settle(_ change: (inout Core) -> Void) {
        let (starts, deadline, _) = core.withLock { core in
            // Returned, so that an object of the app's in it ends outside the lock.
            let replaced = core.chain.outcome
            change(&core)
            let deadline = core.transfer.hasEnded ? core.deadline.take() : nil
            return (core.chain.start(), deadline, replaced)
        }
        deadline?.cancel()
        sendSignals()
        if starts { advance(on: nil) }
    }

    private func sendSignals() {
        var isSender = false
        while let (dataTask, signal) = core.withLock({ $0.transfer.nextSignal(isSender: isSender) }) {
            isSender = true
            switch signal {
            case .resume: dataTask.resume()
            case .suspend: dataTask.suspend()
            case .cancel: dataTask.cancel()
            case .release: break
            }
        }
    }
}

// MARK: - The response

extension ServiceTask {
    /// What a data source holds of a task: while it may still answer, the task lives. A data source that lets go
    /// of it without an answer ends the task.
    private final class Receipt: Sendable {
        let task: ServiceTask

        init(_ task: ServiceTask) {
            self.task = task
        }

        deinit {
            task.receive(nil, nil, nil)
        }
    }

    /// Takes the data source's answer; only the first one counts.
    private func receive(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) {
        let outcome = outcome(data, response, error)
        settle { core in
            guard core.transfer.end(cancelling: false) else { return }
            switch outcome {
            case .success(let content): core.chain.succeed(with: content)
            case .failure(let failure): core.chain.fail(with: failure.error, body: failure.body)
            }
        }
    }

    private struct Failure: Error {
        let error: ServiceError
        var body: ContentAdapter?
    }

    private func outcome(
        _ data: Data?, _ response: URLResponse?, _ error: (any Error)?
    ) -> Result<ContentAdapter, Failure> {
        let httpResponse = response as? HTTPURLResponse
        if let error {
            return .failure(
                Failure(error: ServiceError(transport: error, request: request, response: httpResponse)))
        }
        guard let httpResponse else {
            let detail = "the data source gave \(response == nil ? "no" : "not an HTTP") response"
            return .failure(Failure(error: ServiceError(.invalidResponse, detail: detail, request: request)))
        }
        let content = ContentAdapter(
            response: httpResponse, data: data ?? Data(), transformers: transformers)
        if request.acceptableStatusCodes.contains(httpResponse.statusCode) { return .success(content) }
        let failure = ServiceError(.unacceptableStatus, request: request, response: httpResponse)
        return .failure(Failure(error: failure, body: content))
    }
}

// MARK: - The chain

extension ServiceTask {
    /// Appends a handler to the chain.
    @discardableResult
    func attach(_ link: HandlerLink) -> Self {
        attach(link, 0)
        return self
    }

    /// A ticket under which a link can be attached and, before it runs, abandoned.
    func nextTicket() -> HandlerChain.Ticket {
        core.withLock { $0.chain.nextTicket() }
    }

    func attach(_ link: HandlerLink, _ ticket: HandlerChain.Ticket) {
        let starts = core.withLock { core in
            core.chain.attach(link, ticket)
            return core.chain.start()
        }
        if starts { advance(on: nil) }
    }

    /// Takes an `await` out of the chain and ends it; when nothing else is attached, the request ends too.
    func abandon(_ ticket: HandlerChain.Ticket) {
        let error = ServiceError(.cancelled, request: request)
        var abandoned: HandlerLink?
        settle { core in
            abandoned = core.chain.detach(ticket)
            if abandoned != nil, core.chain.isEmpty { core.fail(with: error, evenAfterResponse: false) }
        }
        _ = try? abandoned?.onFailure?(error)
    }

    /// Starts a task that was never started, for an `await`.
    func resumeIfCreated() {
        if core.withLock({ $0.transfer.isCreated }) { resume() }
    }

    /// Takes the chain's steps until there is nothing to do, or the next one belongs to another queue.
    private func advance(on queue: DispatchQueue?) {
        var step = nextStep(on: queue)
        while true {
            switch step {
            case .idle: return
            case .hop(let target): return target.async { self.advance(on: target) }
            default: step = take(step, on: queue)
            }
        }
    }

    /// Carries out a step without the lock, and decides on the next one.
    private func take(_ step: HandlerChain.Step, on queue: DispatchQueue?) -> HandlerChain.Step {
        switch step {
        case .idle, .hop, .skip:
            return nextStep(on: queue)
        case .prepare(let content, let need):
            let prepared = content.prepared(for: need)
            return nextStep(on: queue) { $0.finishPreparing(prepared) }
        case .succeed(let link, let content):
            do {
                try link.onSuccess?(content)
                return nextStep(on: queue)
            } catch {
                return fail(
                    link, ServiceError(thrown: error, request: request, response: content.response), on: queue
                )
            }
        case .readErrorBody(let body):
            let entity = body.errorEntity()
            return nextStep(on: queue) { $0.finishReadingErrorBody(entity) }
        case .fail(let link, let error):
            do {
                guard let entity = try link.onFailure?(error) else { return nextStep(on: queue) }
                let content = ContentAdapter(recovered: entity, url: URL(string: request.urlString))
                return nextStep(on: queue) { $0.recover(with: content) }
            } catch {
                let error = ServiceError(thrown: error, request: request)
                return nextStep(on: queue) { $0.failRecovering(error) }
            }
        }
    }

    /// Fails the chain with what a link's success handler threw; a link that takes failures takes this one first.
    private func fail(
        _ link: HandlerLink, _ error: ServiceError, on queue: DispatchQueue?
    ) -> HandlerChain.Step {
        _ = try? link.onFailure?(error)
        return nextStep(on: queue) { $0.fail(withThrown: error, isReceived: link.onFailure != nil) }
    }

    private func nextStep(on queue: DispatchQueue?) -> HandlerChain.Step {
        core.withLock { $0.chain.nextStep(on: queue) }
    }

    private func nextStep(
        on queue: DispatchQueue?, after change: (inout HandlerChain) -> Void
    ) -> HandlerChain.Step {
        core.withLock { core in
            // Returned, so that an object of the app's in it ends outside the lock.
            let replaced = core.chain.outcome
            change(&core.chain)
            return (core.chain.nextStep(on: queue), replaced)
        }.0
    }
}
