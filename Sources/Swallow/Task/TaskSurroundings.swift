import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A task's context, which most services don't need. As properties, it would take 120 bytes of each task.
final class TaskSurroundings: Sendable {
    let clock: (any ServiceClock)?
    let watcher: (any TaskWatcher)?
    let load: LoadTerms?

    init(clock: (any ServiceClock)?, watcher: (any TaskWatcher)?, load: LoadTerms?) {
        self.clock = clock
        self.watcher = watcher
        self.load = load
    }
}

/// Receives events of a service's tasks, on any thread, before any handler runs.
protocol TaskWatcher: Sendable {
    /// The server responded with a success or a redirect to a request whose method isn't safe (RFC 9110 §9.2.1).
    func taskHasWritten(_ task: ServiceTask)
    /// A background request has replaced the stale response that a cache served to a task.
    func taskHasRefreshed(_ task: ServiceTask)
    func taskHasEnded(_ task: ServiceTask)
}

enum LoadTerms: Sendable {
    case caches
    /// The validators belong to the resource's data. They are sent unless a cache has its own validators.
    case server(Validators?)

    var validators: Validators? { if case .server(let validators) = self { validators } else { nil } }
}

extension Request {
    mutating func apply(_ terms: LoadTerms, hasCaches: Bool) {
        switch terms {
        case .caches: if entityCaching != .ignore { entityCaching = .only }
        case .server:
            if hasCaches, entityCaching != .ignore, entityCaching != .only { entityCaching = .revalidate }
        }
    }
}

// MARK: - Uses by a task

extension ServiceTask {
    var clock: any ServiceClock { surroundings?.clock ?? .system }

    var now: Date {
        guard let surroundings, let clock = surroundings.clock else { return Date() }
        return clock.now
    }

    /// The service's clock and credentials are task-local values in the closure, which creates or resumes a data task.
    func withSenderTerms<Result>(_ body: () -> Result) -> Result {
        if surroundings == nil, !mayBeSentAgain, SenderTerms.current.isStandard { return body() }
        let (secretFields, redirects) =
            mayBeSentAgain
            ? core.withLock { ($0.extras?.secretFields ?? [], $0.extras?.redirects) } : ([], nil)
        let terms = SenderTerms(
            clock: surroundings?.clock, prepareRedirect: prepareRedirect, caller: caller,
            secretFields: secretFields, redirects: redirects)
        // An interceptor's Swift task inherits the terms of the intercepted request.
        if terms.isStandard, SenderTerms.current.isStandard { return body() }
        return SenderTerms.$current.withValue(terms, operation: body)
    }

    /// Set if a later attempt may need the task-local values of the code that started the task.
    var caller: Caller? { mayBeSentAgain ? core.withLock { $0.extras?.works.caller } : nil }

    /// Whether an authenticator or a data source adapter may run code after the caller has continued.
    private var mayOutliveCaller: Bool {
        guard mayBeSentAgain else { return false }
        if request.credentials is OwnCredentialSource { return true }
        return transferSource == nil && !(dataSource is URLSession)
    }

    /// Whether a cache may serve the response before any work leaves the caller's thread.
    var mayEndBeforeSending: Bool { plan.hasCaches && request.credentials == nil }

    /// Only the first call has an effect.
    func keepCaller() {
        guard mayOutliveCaller, core.withLock({ $0.wantsCaller }) else { return }
        let caller = Caller()
        // Releases an unneeded caller outside the lock.
        _ = core.withLock { core in
            if core.wantsCaller { core.neededExtras.works.caller = caller }
            return caller
        }
    }

    /// Prepares the request of a redirect. Fields that belong to one URL aren't sent to another URL.
    var prepareRedirect: (@Sendable (inout URLRequest) -> Void)? {
        let authorize = request.credentials?.authorizeRedirect
        let (asks, sink) = core.withLock { core in
            (
                core.exchange.attempt.validators != nil,
                request.download == nil ? nil : core.extras?.body?.sink as? DownloadSink
            )
        }
        if !asks, sink == nil { return authorize }
        return { [weak sink] request in
            if asks { request.removeValidators() }
            if let sink { request = sink.completed(request) }
            authorize?(&request)
        }
    }

    var isServerLoad: Bool { if case .server? = surroundings?.load { true } else { false } }

    var validators: Validators? { surroundings?.load?.validators }
}

extension ServiceTask.Core {
    fileprivate var wantsCaller: Bool { extras?.works.caller == nil && chain.isPending }
}
