import Dispatch

struct TaskCore: Sendable {
    var exchange = Exchange()
    var chain = HandlerChain()
    private(set) var rareState: RareTaskState?
    var progress: ProgressWatch?

    var neededRareState: RareTaskState {
        mutating get {
            let needed = rareState ?? RareTaskState()
            rareState = needed
            return needed
        }
    }

    /// Stores work until the task completes. Call `cancelIfUnneeded()` on the result outside the lock.
    mutating func store(
        _ work: ScheduledWork, as place: WritableKeyPath<RareTaskState.PendingWork, ScheduledWork?>
    ) -> ReplacedWork {
        neededRareState.pendingWork[keyPath: place].store(work, if: chain.outcome.isPending)
    }

    mutating func end(with adapter: PipelineAdapter) -> Bool {
        _ = exchange.complete()
        return chain.outcome.complete(with: adapter.after(exchange.attempt.sent))
    }

    mutating func failChain(with error: ServiceError, evenAfterResponse failsChain: Bool) -> Bool {
        let endsTransfer = exchange.complete()
        if endsTransfer || failsChain { chain.outcome.fail(with: error.after(exchange.attempt.sent)) }
        return endsTransfer || failsChain
    }
}

/// State that simple tasks don't need.
// Unchecked: only a task's core refers to the object, and uses it under the task's lock.
final class RareTaskState: @unchecked Sendable {
    struct PendingWork: Sendable {
        var deadline: ScheduledWork?
        var adaptation: ScheduledWork?
        var nextAttempt: ScheduledWork?
        /// Only set if code that runs later may need the caller's priority and task-local values.
        var caller: Caller?

        func cancel() {
            deadline?.cancel()
            adaptation?.cancel()
            nextAttempt?.cancel()
        }
    }

    var pendingWork = PendingWork()
    var caching: TaskCaching?
    var body: BodyDestination?
    /// Kept after the body is complete, because its file's bytes count as progress.
    var download: DownloadSink?
    var secretFields: [String] = []
    var redirects: RedirectOverride?
}

extension TaskCore {
    fileprivate struct Effects {
        let call: Exchange.Call?
        let step: HandlerChain.Step
        let end: End?
        /// Stored here, so that the app's objects in it are released outside the lock.
        let replaced: HandlerOutcome
    }

    fileprivate struct End {
        let permit: AttemptPermit?
        let pendingWork: RareTaskState.PendingWork?
        let progress: ProgressWatch?
        let body: BodyDestination.Rest?
    }

    fileprivate mutating func change(
        on place: HandlerChain.Place?, _ change: (inout TaskCore) -> Void
    ) -> Effects {
        let replaced = chain.outcome
        change(&self)
        let end = replaced.isPending && !chain.outcome.isPending ? takeEnd() : nil
        // The chain advances after the timers are cancelled, and after the sink has removed its file.
        if let end, end.delaysChain { chain.reserve() }
        return Effects(
            call: exchange.nextCall(), step: chain.firstStep(on: place), end: end, replaced: replaced)
    }

    private mutating func takeEnd() -> End {
        let permit = exchange.releasePermit()
        guard let rareState else {
            return End(permit: permit, pendingWork: nil, progress: progress, body: nil)
        }
        defer { rareState.pendingWork = RareTaskState.PendingWork() }
        return End(
            permit: permit, pendingWork: rareState.pendingWork, progress: progress, body: endBody())
    }

    private mutating func endBody() -> BodyDestination.Rest? {
        switch chain.outcome {
        case .failure(let failure): rareState?.body?.end(with: failure.error)
        case .received(let input): rareState?.body?.end(with: input.error)
        case .pending, .success: rareState?.body?.end(with: nil)
        }
    }
}

extension TaskCore.End {
    fileprivate var delaysChain: Bool { pendingWork != nil || progress != nil }
}

extension ServiceTask {
    /// Changes the core, and then makes the calls that follow. Pass the caller's queue if handlers may run on it.
    func update(on queue: DispatchQueue? = nil, _ change: (inout TaskCore) -> Void) {
        let place = queue.map(HandlerChain.Place.queue)
        let effects = core.withLock { $0.change(on: place, change) }
        if let end = effects.end {
            context?.watcher?.taskHasEnded?(self)
            end.pendingWork?.cancel()
            end.progress?.end()
        }
        perform(effects.call)
        effects.end?.permit?.end()
        if let body = effects.end?.body, let sink = body.sink, let error = body.error {
            sink.fail(with: error) { self.advance(on: nil) }
        } else if effects.end?.delaysChain == true {
            advance(on: place)
        } else {
            takeSteps(from: effects.step, on: place)
        }
    }
}
