import Foundation

final class TaskContext: Sendable {
    let clock: (any ServiceClock)?
    let watcher: TaskWatcher?
    let load: LoadMode?

    init(clock: (any ServiceClock)?, watcher: TaskWatcher?, load: LoadMode?) {
        self.clock = clock
        self.watcher = watcher
        self.load = load
    }
}

/// The events of a service's tasks, which may be reported on any thread.
struct TaskWatcher: Sendable {
    /// A complete success or redirect has arrived for a request whose method isn't safe (RFC 9110 §9.2.1).
    let taskHasWritten: (@Sendable (ServiceTask) -> Void)?
    let taskHasRefreshed: (@Sendable (ServiceTask) -> Void)?
    let taskHasEnded: (@Sendable (ServiceTask) -> Void)?
}

enum LoadMode: Sendable {
    case caches
    /// The validators of the resource's data. A stored response's validators take precedence.
    case server(Validators?)

    var validators: Validators? { if case .server(let validators) = self { validators } else { nil } }
}

extension ServiceTask {
    /// The request's cache policy. A resource's load overrides it, unless it is `.ignore`, `.reload` or `.onlyCache`.
    var cachePolicy: CachePolicy {
        let own = request.cachePolicy
        guard let load = context?.load, ![.ignore, .reload, .onlyCache].contains(own) else { return own }
        return switch load {
        case .caches: .onlyCache
        case .server: .validate
        }
    }
}

extension ServiceTask {
    var clock: any ServiceClock { context?.clock ?? .system }

    var now: Date {
        guard let context, let clock = context.clock else { return Date() }
        return clock.now
    }

    /// Runs a closure that creates or calls a data task, with a ``TransferContext`` as its task-local value.
    func withTransferContext<Result>(_ body: () -> Result) -> Result {
        if context == nil, !mayBeSentAgain, TransferContext.current.isStandard { return body() }
        let (secretFields, redirects) =
            mayBeSentAgain
            ? core.withLock { ($0.rareState?.secretFields ?? [], $0.rareState?.redirects) } : ([], nil)
        let transferContext = TransferContext(
            clock: context?.clock, prepareRedirect: prepareRedirect, caller: caller,
            secretFields: secretFields, redirects: redirects)
        // An interceptor's Swift task inherits the context of the intercepted request, which doesn't apply here.
        if transferContext.isStandard, TransferContext.current.isStandard { return body() }
        return TransferContext.$current.withValue(transferContext, operation: body)
    }

    var caller: Caller? { mayBeSentAgain ? core.withLock { $0.rareState?.pendingWork.caller } : nil }

    /// Whether code that needs the caller's priority and task-local values may run after the caller has continued.
    private var mayOutliveCaller: Bool {
        guard mayBeSentAgain else { return false }
        if request.credentials is OwnCredentialSource { return true }
        return transferSource == nil && !(dataSource is URLSession)
    }

    var mayEndBeforeSending: Bool { plan.hasCaches && request.credentials == nil }

    /// Stores the priority and the task-local values of the calling code, if they may be needed later.
    func storeCaller() {
        guard mayOutliveCaller, core.withLock({ $0.wantsCaller }) else { return }
        let caller = Caller()
        // An unneeded caller is returned, so that it is released outside the lock.
        _ = core.withLock { core in
            if core.wantsCaller { core.neededRareState.pendingWork.caller = caller }
            return caller
        }
    }

    var prepareRedirect: (@Sendable (inout URLRequest) -> Void)? {
        let authorize = request.credentials?.authorizeRedirect
        let (isConditional, sink) = core.withLock { core in
            (core.exchange.attempt.validators != nil, core.rareState?.download)
        }
        if !isConditional, sink == nil { return authorize }
        return { [weak sink] request in
            if isConditional { request.removeValidators() }
            if let sink { request = sink.requestForRest(from: request) }
            authorize?(&request)
        }
    }

    var validators: Validators? { context?.load?.validators }
}

extension TaskCore {
    fileprivate var wantsCaller: Bool { rareState?.pendingWork.caller == nil && chain.outcome.isPending }
}
