import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What tasks of few services have around them: one object, since it would take 120 bytes of each task and of each service, and
/// most have none of it.
final class TaskSurroundings: Sendable {
    /// Nil stands for the system's.
    let clock: (any ServiceClock)?
    /// Who is told how tasks go on.
    let watcher: (any TaskWatcher)?
    /// What a resource wants of its own requests.
    let load: LoadTerms?

    init(clock: (any ServiceClock)?, watcher: (any TaskWatcher)?, load: LoadTerms?) {
        self.clock = clock
        self.watcher = watcher
        self.load = load
    }
}

/// Is told how the tasks of a service go on, before any handler sees it, on any thread.
protocol TaskWatcher: Sendable {
    /// A request whose method isn't safe (RFC 9110 §9.2.1) has been answered with a success or a redirect.
    func taskHasWritten(_ task: ServiceTask)
    /// The server has been asked in the background about the stale response that a task got from a cache, and the caches have
    /// what it said.
    func taskHasRefreshed(_ task: ServiceTask)
    /// A task has its response, or has failed.
    func taskHasEnded(_ task: ServiceTask)
}

/// How a request that a resource loads by differs from one that its user would make.
enum LoadTerms: Sendable {
    /// Only the caches are asked.
    case caches
    /// Only the server is asked; caches that take part keep what it says. Where no cache has validators of its own,
    /// those of what the resource has are sent.
    case server(Validators?)

    /// The validators of the response that the resource has.
    var validators: Validators? { if case .server(let validators) = self { validators } else { nil } }
}

extension Request {
    /// Takes the terms of a resource's load.
    mutating func apply(_ terms: LoadTerms, hasCaches: Bool) {
        switch terms {
        case .caches: if entityCaching != .ignore { entityCaching = .only }
        case .server:
            if hasCaches, entityCaching != .ignore, entityCaching != .only { entityCaching = .revalidate }
        }
    }
}

// MARK: - Where a task goes by them

extension ServiceTask {
    /// What its times are measured by.
    var clock: any ServiceClock { surroundings?.clock ?? .system }

    /// The time, for what has just come.
    var now: Date {
        guard let surroundings, let clock = surroundings.clock else { return Date() }
        return clock.now
    }

    /// Makes or resumes a data task, which is to go by the service's clock, and by what authorizes its request.
    func withTerms<Result>(_ body: () -> Result) -> Result {
        if surroundings == nil, !mayBeSentAgain { return body() }
        let terms = SenderTerms(
            clock: surroundings?.clock, prepareRedirect: prepareRedirect, caller: caller,
            secretFields: mayBeSentAgain ? core.withLock { $0.secretFields } : [])
        if terms.isStandard { return body() }
        return SenderTerms.$current.withValue(terms, operation: body)
    }

    /// Who has started the task, where that is kept.
    var caller: Caller? { mayBeSentAgain ? core.withLock { $0.caller } : nil }

    /// Whether code that sees the caller's priority and task-local values may run where the caller has gone on: that of an
    /// async authenticator, or of an adapter, in an attempt that waits or isn't the first.
    private var mayOutliveCaller: Bool {
        guard mayBeSentAgain else { return false }
        if request.credentials is OwnCredentialSource { return true }
        return carriers == nil && !(dataSource is URLSession)
    }

    /// Whether a cache may answer before anything leaves the caller's thread. `keepCaller()` then waits until something does,
    /// since a `Caller` costs a Swift task.
    var mayEndBeforeSending: Bool { plan.hasCaches && request.credentials == nil }

    /// Remembers the calling code's priority and task-local values for later attempts; the first call counts.
    func keepCaller() {
        guard mayOutliveCaller, core.withLock({ $0.wantsCaller }) else { return }
        let caller = Caller()
        // Returned, so that one that isn't wanted any more ends outside the lock.
        _ = core.withLock { core in
            if core.wantsCaller { core.caller = caller }
            return caller
        }
    }

    /// What becomes of a request that follows from a redirect: what was added for one URL doesn't go on to another.
    var prepareRedirect: (@Sendable (inout URLRequest) -> Void)? {
        let authorize = request.credentials?.authorizeRedirect
        let (asks, sink) = core.withLock { core in
            (
                core.exchange.attempt.validators != nil,
                request.download == nil ? nil : core.body?.sink as? DownloadSink
            )
        }
        if !asks, sink == nil { return authorize }
        return { [weak sink] request in
            if asks { request.removeValidators() }
            if let sink { request = sink.completed(request) }
            authorize?(&request)
        }
    }

    /// Whether a resource loads by the task from the server.
    var isServerLoad: Bool { if case .server? = surroundings?.load { true } else { false } }

    /// The validators of the response that the sender of the request has.
    var validators: Validators? { surroundings?.load?.validators }
}

extension ServiceTask.Core {
    /// Whether nothing is known yet of who has started the task, and it hasn't ended.
    fileprivate var wantsCaller: Bool { caller == nil && chain.isPending }
}
