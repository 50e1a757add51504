import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A task's context that most services don't have: a clock of their own, a watcher, a resource. One object, since its
/// parts would take 120 bytes of each task and of each service.
final class TaskSurroundings: Sendable {
    /// Nil for the system's clock.
    let clock: (any ServiceClock)?
    /// Learns of the task's write, refresh and end.
    let watcher: (any TaskWatcher)?
    /// How a resource's load differs from other requests.
    let load: LoadTerms?

    init(clock: (any ServiceClock)?, watcher: (any TaskWatcher)?, load: LoadTerms?) {
        self.clock = clock
        self.watcher = watcher
        self.load = load
    }
}

/// Learns of events of a service's tasks, on any thread, before any handler does.
protocol TaskWatcher: Sendable {
    /// A request whose method isn't safe (RFC 9110 §9.2.1) has been answered with a success or a redirect.
    func taskHasWritten(_ task: ServiceTask)
    /// A task got a stale response from a cache, and a request in the background has now refreshed it.
    func taskHasRefreshed(_ task: ServiceTask)
    /// A task has its response, or has failed.
    func taskHasEnded(_ task: ServiceTask)
}

/// How a resource's load differs from a request that the app makes itself.
enum LoadTerms: Sendable {
    /// Only the caches are asked.
    case caches
    /// Only the server is asked; caches that take part keep its response. The validators are those of the resource's
    /// data, sent unless a cache has validators of its own.
    case server(Validators?)

    /// The validators of the response that the resource has.
    var validators: Validators? { if case .server(let validators) = self { validators } else { nil } }
}

extension Request {
    /// Changes the caching as a resource's load needs it.
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
    /// The service's clock.
    var clock: any ServiceClock { surroundings?.clock ?? .system }

    /// The current time, by the service's clock.
    var now: Date {
        guard let surroundings, let clock = surroundings.clock else { return Date() }
        return clock.now
    }

    /// Runs a closure that makes or resumes a data task, with the service's clock and credentials in task-local terms.
    func withSenderTerms<Result>(_ body: () -> Result) -> Result {
        if surroundings == nil, !mayBeSentAgain, SenderTerms.current.isStandard { return body() }
        let (secretFields, redirects) =
            mayBeSentAgain
            ? core.withLock { ($0.extras?.secretFields ?? [], $0.extras?.redirects) } : ([], nil)
        let terms = SenderTerms(
            clock: surroundings?.clock, prepareRedirect: prepareRedirect, caller: caller,
            secretFields: secretFields, redirects: redirects)
        // An interceptor's Swift task inherits the terms of the request that it intercepts.
        if terms.isStandard, SenderTerms.current.isStandard { return body() }
        return SenderTerms.$current.withValue(terms, operation: body)
    }

    /// The code that started the task, where it is kept.
    var caller: Caller? { mayBeSentAgain ? core.withLock { $0.extras?.works.caller } : nil }

    /// Whether code of an authenticator's or an adapter's may run after the caller has gone on, in a later attempt, say. It then
    /// needs the caller's priority and task-local values.
    private var mayOutliveCaller: Bool {
        guard mayBeSentAgain else { return false }
        if request.credentials is OwnCredentialSource { return true }
        return transferSource == nil && !(dataSource is URLSession)
    }

    /// Whether a cache may answer before anything leaves the caller's thread. `keepCaller()` then waits until something does,
    /// since a `Caller` costs a Swift task.
    var mayEndBeforeSending: Bool { plan.hasCaches && request.credentials == nil }

    /// Remembers the calling code's priority and task-local values for later attempts; the first call counts.
    func keepCaller() {
        guard mayOutliveCaller, core.withLock({ $0.wantsCaller }) else { return }
        let caller = Caller()
        // Returned, so that a caller that isn't kept is released outside the lock.
        _ = core.withLock { core in
            if core.wantsCaller { core.neededExtras.works.caller = caller }
            return caller
        }
    }

    /// Prepares the request of a redirect: what was added for one URL isn't sent to another.
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

    /// Whether the task is a resource's load from the server.
    var isServerLoad: Bool { if case .server? = surroundings?.load { true } else { false } }

    /// The validators of the data that the loading resource has.
    var validators: Validators? { surroundings?.load?.validators }
}

extension ServiceTask.Core {
    /// Whether the task has yet to end, and its caller isn't known yet.
    fileprivate var wantsCaller: Bool { extras?.works.caller == nil && chain.isPending }
}
