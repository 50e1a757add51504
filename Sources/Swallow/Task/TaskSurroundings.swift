import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A task's context, which most services don't need: an app's clock, a watcher and a resource's load. It is one object,
/// because its properties would take 120 bytes of each task and of each service.
final class TaskSurroundings: Sendable {
    /// `nil` for the system's clock.
    let clock: (any ServiceClock)?
    /// Receives the task's write, refresh and completion.
    let watcher: TaskWatcher?
    /// How a resource's load differs from other requests.
    let load: LoadTerms?

    init(clock: (any ServiceClock)?, watcher: TaskWatcher?, load: LoadTerms?) {
        self.clock = clock
        self.watcher = watcher
        self.load = load
    }
}

/// Receives events of a service's tasks, on any thread, before any handler runs.
struct TaskWatcher: Sendable {
    /// The server responded with a success or a redirect to a request whose method isn't safe (RFC 9110 §9.2.1).
    let taskHasWritten: (@Sendable (ServiceTask) -> Void)?
    /// A background request refreshed the stale response that a cache served to a task.
    let taskHasRefreshed: (@Sendable (ServiceTask) -> Void)?
    /// A task has received its response, or has failed.
    let taskHasEnded: (@Sendable (ServiceTask) -> Void)?
}

/// How a resource's load differs from a request that the app makes itself.
enum LoadTerms: Sendable {
    /// Reads only the caches.
    case caches
    /// Sends the request to the server, and stores its response in the caches that take part. The validators belong to
    /// the resource's data. They are sent unless a cache has its own validators.
    case server(Validators?)

    /// The validators of the resource's response.
    var validators: Validators? { if case .server(let validators) = self { validators } else { nil } }
}

extension ServiceTask {
    /// The cache policy. A resource's load overrides the request's own policy.
    var cachePolicy: CachePolicy {
        let own = request.cachePolicy
        guard let load = surroundings?.load, ![.ignore, .reload, .onlyCache].contains(own) else { return own }
        return switch load {
        case .caches: .onlyCache
        case .server: .validate
        }
    }
}

// MARK: - Uses by a task

extension ServiceTask {
    /// The service's clock.
    var clock: any ServiceClock { surroundings?.clock ?? .system }

    /// The current time of the service's clock.
    var now: Date {
        guard let surroundings, let clock = surroundings.clock else { return Date() }
        return clock.now
    }

    /// Runs a closure that creates or resumes a data task. The service's clock and credentials are task-local values
    /// there.
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

    /// The code that started the task, if a later attempt may need it.
    var caller: Caller? { mayBeSentAgain ? core.withLock { $0.extras?.works.caller } : nil }

    /// Whether an authenticator or a data source adapter may run code after the caller has continued, for example in a
    /// later attempt. That code needs the caller's priority and task-local values.
    private var mayOutliveCaller: Bool {
        guard mayBeSentAgain else { return false }
        if request.credentials is OwnCredentialSource { return true }
        return transferSource == nil && !(dataSource is URLSession)
    }

    /// Whether a cache may serve the response before any work leaves the caller's thread. `keepCaller()` is then called
    /// only when work leaves that thread, because a `Caller` costs a Swift task.
    var mayEndBeforeSending: Bool { plan.hasCaches && request.credentials == nil }

    /// Stores the caller's priority and task-local values for later attempts. Only the first call has an effect.
    func keepCaller() {
        guard mayOutliveCaller, core.withLock({ $0.wantsCaller }) else { return }
        let caller = Caller()
        // An unneeded caller is returned, so that it is released outside the lock.
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

    /// The validators of the loading resource's data.
    var validators: Validators? { surroundings?.load?.validators }
}

extension ServiceTask.Core {
    /// Whether the task isn't complete, and has no caller yet.
    fileprivate var wantsCaller: Bool { extras?.works.caller == nil && chain.isPending }
}
