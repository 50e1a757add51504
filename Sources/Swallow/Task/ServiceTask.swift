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
/// - **Memory.** A running task keeps itself alive; one that has ended keeps no handler alive. One that is never
///   resumed keeps its handlers for as long as it lives: if they capture the object that holds the task, both leak.
///   Such a task is reported in debug builds, a minute after it was made; `cancel()` frees it, and so does `resume()`.
///
/// Handlers without a queue run on the main actor, which needs a main thread that is free: command-line
/// tools and servers use `await`, or name a queue.
public final class ServiceTask: Sendable {
    /// The request that is, or will be, sent.
    public let request: Request

    let dataSource: any SessionDataTaskDataSource
    /// The data source, where it leaves redirects to the task.
    let carriers: (any CarrierSource)?
    let plan: PipelinePlan
    let surroundings: TaskSurroundings?
    let log: TaskLog?
    /// Whether the request may be sent more than once, redirects aside.
    let mayBeSentAgain: Bool
    /// Whether the initialiser sends it, before any code can claim the task's body, suspend or cancel the task.
    let isSentAtOnce: Bool
    private let unhandledError: (@Sendable (ServiceError) -> Void)?
    let core: Lock<Core>

    init(
        request: Request, dataSource: any SessionDataTaskDataSource,
        carriers: (any CarrierSource)?, plan: PipelinePlan,
        surroundings: TaskSurroundings? = nil, log: TaskLog? = nil,
        unhandledError: (@Sendable (ServiceError) -> Void)?, startsAtOnce: Bool = false
    ) {
        self.request = request
        self.dataSource = dataSource
        self.carriers = carriers
        self.plan = plan
        self.surroundings = surroundings
        self.log = log
        self.unhandledError = unhandledError
        mayBeSentAgain =
            request.credentials != nil || request.retry.isInUse || request.download != nil || plan.hasCaches
            || surroundings?.load?.validators != nil || carriers == nil && request.redirects != nil
        isSentAtOnce = startsAtOnce && !mayBeSentAgain && !request.adaptsLater
        var core = Core()
        if startsAtOnce { _ = core.exchange.control.resume() }
        if carriers == nil, let policy = request.redirects {
            core.neededExtras.redirects = RedirectOverride(policy)
        }
        if let download = request.download {
            core.neededExtras.body = BodyDestination(sink: DownloadSink(download, of: request))
            _ = core.exchange.stream()
        }
        self.core = Lock(core)
        if startsAtOnce { start() }
    }

    deinit {
        let failure = unhandledError == nil ? nil : core.withLock { $0.chain.outcome.unreceivedFailure }
        #if os(Linux) && canImport(Glibc)
            if let thread = LoopThread.current {
                let rest = (request, dataSource, plan, surroundings, log, core)
                return thread.leave { [unhandledError] in
                    if let failure { unhandledError?(failure) }
                    withExtendedLifetime(rest) {}
                }
            }
        #endif
        if let failure { unhandledError?(failure) }
    }

    /// Everything that changes, under one lock.
    struct Core: Sendable {
        var exchange = Exchange()
        var chain = HandlerChain()
        /// Nil for most tasks.
        private(set) var extras: TaskExtras?
        /// Polls the progress for listeners.
        var progress: ProgressWatch?
        /// The metrics and trailers, once the transfer has ended.
        var record: TransferRecord?

        /// The extras, which are made if there are none.
        var neededExtras: TaskExtras {
            mutating get {
                let needed = extras ?? TaskExtras()
                extras = needed
                return needed
            }
        }

        /// Keeps work until the task ends.
        ///
        /// - Returns: what the caller lets go of without the lock.
        mutating func keep(
            _ work: ScheduledWork, as place: WritableKeyPath<TaskExtras.Works, ScheduledWork?>,
            if isNeeded: Bool = true
        ) -> ReplacedWork {
            neededExtras.works[keyPath: place].keep(work, if: isNeeded && chain.isPending)
        }

        /// Ends the transfer with what it gave; says whether that is the first end.
        mutating func end(with adapter: PipelineAdapter, cancelling: Bool) -> Bool {
            _ = exchange.control.end(cancelling: cancelling)
            return chain.outcome.completeTransfer(with: adapter.after(exchange.attempt.sent))
        }

        /// Fails the transfer if it hasn't ended, or else the chain if `failsChain` says so.
        mutating func fail(with error: ServiceError, evenAfterResponse failsChain: Bool) -> Bool {
            let endsTransfer = exchange.control.end(cancelling: true)
            if endsTransfer || failsChain { chain.outcome.fail(with: error.after(exchange.attempt.sent)) }
            return endsTransfer || failsChain
        }
    }
}

extension ServiceTask {
    /// `.suspended` before `resume()` and after `suspend()`, `.running` while the request is on its way, and
    /// `.completed` once the response has arrived or the task has failed.
    ///
    /// A cancelled task ends at once, so `.canceling` is never seen.
    public var state: URLSessionTask.State {
        core.withLock { core in
            if core.exchange.control.hasEnded { return .completed }
            return core.exchange.control.isSuspended ? .suspended : .running
        }
    }

    /// The command for a POSIX shell by which curl sends the request, without its secrets; see ``Request/curlCommand``.
    public var curlCommand: String { request.curlCommand }

    /// Sends the request, or goes on after `suspend()`; does nothing once the task has ended.
    ///
    /// A request that can't be encoded ends the task with `.invalidURL` or `.invalidRequest`.
    @discardableResult
    public func resume() -> Self {
        let (starts, watch) = core.withLock { ($0.exchange.control.resume(), $0.progress) }
        if starts {
            watch?.start(for: self)
            start()
        } else {
            goOn()
        }
        return self
    }

    private func goOn() {
        noteBodyMayGoOn()
        sendSignals()
    }

    /// Pauses the transfer until `resume()`. The timeout goes on counting unless the body comes in parts, and a cached
    /// response may still end the task.
    public func suspend() {
        core.withLock { $0.exchange.control.suspend() }
        sendSignals()
    }

    /// Ends the task with `.cancelled`: no further success handler starts, and a request that was not sent yet is
    /// never sent. Does nothing once the response has arrived and the handlers attached have run;
    /// a task that nothing was attached to can still be cancelled.
    public func cancel() {
        failChain(with: ServiceError(.cancelled, request: request)) { !$0.chain.isFinished }
    }

    /// Fails the chain: later success handlers are passed over, later error handlers receive the error.
    ///
    /// In a handler, prefer `throw`, which needs no reference to the task. From outside of a handler it takes
    /// effect before the next handler starts, and ends a request that is still on its way. It replaces a failure
    /// that is there already.
    public func throwError(_ error: any Error) {
        failChain(with: ServiceError(thrown: error, request: request)) { _ in true }
    }

    /// Fails the chain, with the error in its short form: `throwError(.cancelled)`.
    public func throwError(_ error: ServiceError) {
        throwError(error as any Error)
    }

    /// Reports a task that has handlers and was not started: to the log or, without one, on standard error.
    func reportIfForgotten() {
        guard core.withLock({ $0.exchange.control.isCreated && !$0.chain.isEmpty }) else { return }
        let problem = "\(request.method) \(request.urlString) has handlers, and was not resumed for a minute"
        if let log { return log.misconfigured(problem) }
        LineWriter.standardError.write("Swallow: misconfigured: \(LogRedaction.standard.redacted(problem))")
    }

    private func failChain(with error: ServiceError, evenAfterResponse failsChain: (Core) -> Bool) {
        var hasFailed = false
        update { hasFailed = $0.fail(with: error, evenAfterResponse: failsChain($0)) }
        if hasFailed { log?.failed(error) }
    }
}
