import Foundation

#if os(Linux) && canImport(Glibc)
    internal import CurlEngine
#endif

/// One request and the handlers of its response.
///
/// ```swift
/// service.GET("/stores", parameters: ["zip": "15217"])
///     .responseDecoded(as: [Store].self) { stores in self.stores = stores }
///     .responseError { error in self.message = error.userMessage }
/// ```
///
/// - **Order.** Handlers run one at a time, in the order attached, on whatever queues. Only progress and stream
///   handlers may run before or during others. A handler also runs if you attach it after the response has arrived,
///   but never inside the call that attaches it.
/// - **Failure.** If the request, the status check, the pipeline or a handler fails, later success handlers are
///   skipped, and later `responseError` handlers run until a `recover` succeeds.
/// - **One completion.** A started task completes exactly once, with success or one ``ServiceError``.
/// - **Parse once.** JSON is parsed once, off the main thread, no matter how many handlers read it.
/// - **Memory.** A running task keeps itself alive. After the handlers have run, it releases them. If you never resume
///   a task, and its handlers capture the object that holds it, both leak until `resume()` or `cancel()`. Debug builds
///   report a task with handlers that isn't resumed within a minute.
///
/// Handlers without a queue run on the main actor, except the closures of `transform` and `recover`. So the main thread
/// must not be blocked. Command-line tools and servers should name a queue or use `await`.
public final class ServiceTask: Sendable {
    /// The request that the task sends.
    public let request: Request

    let dataSource: any SessionDataTaskDataSource
    let transferSource: (any TransferSource)?
    let plan: PipelinePlan
    let context: TaskContext?
    let log: TaskLog?
    /// Whether follow-up policies apply to the request in addition to the redirect policy.
    let mayBeSentAgain: Bool
    private let unhandledError: (@Sendable (ServiceError) -> Void)?
    let core: Lock<TaskCore>

    init(
        request: Request, dataSource: any SessionDataTaskDataSource,
        transferSource: (any TransferSource)?, plan: PipelinePlan,
        context: TaskContext? = nil, log: TaskLog? = nil,
        unhandledError: (@Sendable (ServiceError) -> Void)?, startsAtOnce: Bool = false
    ) {
        self.request = request
        self.dataSource = dataSource
        self.transferSource = transferSource
        self.plan = plan
        self.context = context
        self.log = log
        self.unhandledError = unhandledError
        mayBeSentAgain =
            request.credentials != nil || request.retry.isInUse || request.download != nil || plan.hasCaches
            || context?.load?.validators != nil || transferSource == nil && request.redirects != nil
        var core = TaskCore()
        if startsAtOnce { _ = core.exchange.resume() }
        if transferSource == nil, let policy = request.redirects {
            core.neededRareState.redirects = RedirectOverride(policy)
        }
        if let download = request.download {
            let sink = DownloadSink(download, of: request)
            core.neededRareState.download = sink
            core.neededRareState.body = BodyDestination(sink: sink)
            core.exchange.deliverParts()
        }
        self.core = Lock(consume core)
        if startsAtOnce { start() }
    }

    deinit {
        let failure = unhandledError == nil ? nil : core.withLock { $0.chain.outcome.unreceivedFailure }
        #if os(Linux) && canImport(Glibc)
            if let thread = LoopThread.current {
                let rest = (request, dataSource, plan, context, log, core)
                return thread.postpone { [unhandledError] in
                    if let failure { unhandledError?(failure) }
                    withExtendedLifetime(rest) {}
                }
            }
        #endif
        if let failure { unhandledError?(failure) }
    }
}

extension ServiceTask {
    /// The state of the task. It is `.suspended` before `resume()` and after `suspend()`, and `.completed` after the
    /// response, a failure or `cancel()`. It is never `.canceling`.
    public var state: URLSessionTask.State {
        core.withLock { core in
            if core.exchange.isComplete { return .completed }
            return core.exchange.isSuspended ? .suspended : .running
        }
    }

    /// A `curl` command for a POSIX shell that sends the request. Secrets are removed. See ``Request/curlCommand``.
    public var curlCommand: String { request.curlCommand }

    /// Starts the task, or resumes its transfer after `suspend()`. Does nothing after the task has completed.
    ///
    /// If the request can't be encoded, the task fails with `.invalidURL` or `.invalidRequest`.
    @discardableResult
    public func resume() -> Self {
        let (starts, watch) = core.withLock { ($0.exchange.resume(), $0.progress) }
        if starts {
            watch?.start(for: self)
            start()
        } else {
            restartIdleTimeout()
            updateTransfer()
        }
        return self
    }

    /// Pauses the transfer until `resume()`. The timeout pauses only while the body is streamed or downloaded. A stored
    /// response may still complete the task.
    public func suspend() {
        core.withLock { $0.exchange.suspend() }
        updateTransfer()
    }

    /// Fails the task and its chain with `.cancelled`. A request that wasn't sent yet is never sent. Does nothing after
    /// the handlers of a completed task have run.
    public func cancel() {
        failChain(with: ServiceError(.cancelled, request: request)) { !$0.chain.isFinished }
    }

    /// Fails the chain with an error. Later success handlers are skipped until a `recover` succeeds.
    ///
    /// In a handler, prefer `throw`. This function cancels a request in progress, and replaces an earlier failure.
    public func throwError(_ error: any Error) {
        failChain(with: ServiceError(thrown: error, request: request)) { _ in true }
    }

    /// Fails the chain with a service error, which you can write in its short form: `throwError(.cancelled)`.
    public func throwError(_ error: ServiceError) {
        throwError(error as any Error)
    }

    func reportIfNotResumed() {
        guard core.withLock({ $0.exchange.isNotSent && !$0.chain.isEmpty }) else { return }
        let problem = "\(request.method) \(request.urlString) has handlers but wasn't resumed within a minute"
        if let log { return log.misconfigured(problem) }
        LineWriter.standardError.write("Swallow: misconfigured: \(LogRedaction.standard.redacted(problem))")
    }

    private func failChain(with error: ServiceError, evenAfterResponse failsChain: (TaskCore) -> Bool) {
        var hasFailed = false
        update { hasFailed = $0.failChain(with: error, evenAfterResponse: failsChain($0)) }
        if hasFailed { log?.failed(error) }
    }
}

extension ServiceTask: CustomStringConvertible, CustomReflectable {
    /// The request's method and its redacted URL, as in the log.
    public var description: String { "ServiceTask(\(request))" }

    /// The children that `dump` shows. Only the request is shown, because other properties may be secret.
    public var customMirror: Mirror { Mirror(self, children: ["request": request]) }
}
