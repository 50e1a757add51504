import Foundation

extension ServiceTask {
    func beginWithCaches(_ urlRequest: URLRequest) {
        let policy = usedPolicy(for: urlRequest)
        let caching = TaskCaching(urlRequest, of: request, policy, plan, validators: validators)
        guard let caching else {
            storeCaller()
            return sendWithoutCaches(urlRequest)
        }
        let step = core.withLock { core in
            let state = core.neededRareState
            state.caching = caching
            return state.caching?.start()
        }
        if let step { perform(step) }
    }

    /// The policy that applies to the caches. If the body has a sink, this is `.ignore` or `.onlyCache`.
    private func usedPolicy(for urlRequest: URLRequest) -> CachePolicy {
        let hasSink = core.withLock { $0.rareState?.body?.hasSink ?? false }
        let policy = cachePolicy
        guard hasSink, policy != .onlyCache else { return policy }
        if let log, CacheRole(urlRequest, policy) != nil, CacheRole(urlRequest, .ignore) == nil {
            log.skippedCaches()
        }
        return .ignore
    }

    func receiveWithCaches(_ response: ReceivedResponse, _ failure: ServiceError?) {
        let isCached = takeCachingStep { $0.received(response, failure) }
        if !isCached { end(with: PipelineAdapter(response, failure: failure, plan)) }
    }

    /// Removes stored responses after a write's head, because the body or a redirect's request may fail.
    func noteHead(_ head: ResponseHead) {
        if wantsHeads { apply(core.withLock { $0.rareState?.caching?.invalidation(by: head.response) }) }
    }

    func failWithCaches(_ error: ServiceError) {
        update { core in
            if core.rareState?.caching != nil { _ = core.exchange.complete() }
        }
        let isCached = takeCachingStep { $0.failed(error) }
        if !isCached { end(with: PipelineAdapter(failure: error, plan)) }
    }

    @discardableResult
    private func takeCachingStep(_ decide: (inout TaskCaching) -> TaskCaching.Step) -> Bool {
        let step = nextCachingStep(decide)
        if let step { perform(step) }
        return step != nil
    }

    private func nextCachingStep(_ decide: (inout TaskCaching) -> TaskCaching.Step) -> TaskCaching.Step? {
        let (step, _) = core.withLock { core -> (TaskCaching.Step?, TaskCaching.Phase?) in
            // The previous phase is returned, so that the app's objects in it are released outside the lock.
            guard let state = core.rareState, let phase = state.caching?.phase else { return (nil, nil) }
            return (decide(&state.caching!), phase)
        }
        return step
    }

    private func perform(_ step: consuming TaskCaching.Step) {
        switch consume step {
        case .none: break
        case .read(let end, let afterTimeout):
            if afterTimeout, let timeout = request.timeout {
                // If the data source itself has timed out, the deadline still runs.
                core.withLock { $0.rareState?.pendingWork.deadline.take() }?.cancel()
                startDeadline(timeout)
            }
            readCaches(before: end)
        case .send(let urlRequest, let validators):
            storeCaller()
            sendFirstAttempt(urlRequest, validating: validators)
        case .use(let stored, let refreshes, let change):
            apply(change)
            // Registered first, so that a request that a handler sends doesn't start another refresh.
            let refresh =
                refreshes
                ? storageRequest.flatMap {
                    plan.stages[stored.stage].store?.refresh(for: $0)
                } : nil
            useStoredResponse(stored)
            if let refresh { sendRefresh(refresh) }
        case .end(let adapter, let stored, let change):
            if let stored { log?.used(stored, of: plan.stages[stored.stage].name) }
            apply(change)
            end(with: adapter)
        }
    }

    private func apply(_ change: CacheChange?) {
        guard let change, let caching else { return }
        plan.apply(change, since: caching.epoch)
    }

    /// Returns whether a stored response of this freshness is fresh enough for the request (RFC 9111 §5.2.1).
    func allows(_ freshness: Freshness) -> Bool {
        guard let rules = caching?.rules else { return true }
        let (age, lifetime) = (freshness.age.seconds, freshness.lifetime.seconds)
        return rules.directives.allow(age: age, remaining: lifetime - age)
    }
}

extension ServiceTask {
    var caching: TaskCaching? { plan.hasCaches ? core.withLock { $0.rareState?.caching } : nil }

    var storageRequest: URLRequest? {
        plan.hasCaches ? core.withLock { $0.rareState?.caching?.storageRequest } : nil
    }

    func storingResults(
        of response: ReceivedResponse, _ caching: TaskCaching?, after stored: StoredResponse? = nil,
        _ run: (((Int, PipelineResults) -> Void)?) -> PipelineResults
    ) -> PipelineResults {
        guard let caching, let urlRequest = caching.storageRequest else { return run(nil) }
        var entries: [(PipelinePlan.Stage, CachedResponse)] = []
        let results = run { [plan] index, results in
            guard index > stored?.stage ?? -1, plan.stages[index].store != nil,
                let entry = plan.entry(for: urlRequest, sentAt: caching.sent, response, stored, results)
            else { return }
            entries.append((plan.stages[index], entry))
        }
        if results.failure != nil { return results }
        // The response of a cancelled task isn't stored.
        if core.withLock({ $0.chain.outcome.isCancelled }) { return results }
        for (stage, entry) in entries {
            guard let store = stage.store, store.isCurrent(caching.epoch, for: urlRequest) else { continue }
            log?.wrote(stage.name)
            store.perform { $0.write(entry, for: urlRequest, since: caching.epoch) }
        }
        return results
    }

    private func readCaches(before end: Int) {
        guard let urlRequest = storageRequest else { return }
        plan.read(urlRequest, before: end) { stage in
            self.log?.missed(stage.name)
        } leaving: {
            self.storeCaller()
        } _: { found, isHere in
            // The clock may be the app's, so it is read outside the lock.
            let stored = found.map { found in
                StoredResponse(found.cached, stage: found.stage, at: self.now) {
                    self.request.acceptableStatusCodes.contains($0)
                }
            }
            if let stored { self.log?.hit(self.plan.stages[stored.stage].name) }
            guard let step = self.nextCachingStep({ $0.found(stored) }) else { return }
            if isHere { return self.perform(step) }
            // Neither requests nor an app's handlers and transformers run on a cache's queue.
            guard case .use(let stored, refreshes: false, nil) = step else {
                return DispatchQueue.parsing.async { self.perform(step) }
            }
            if self.plan.isQuick(stored) { return self.completeWithStoredResponse(stored, on: nil) }
            self.completeOnParsingQueue(with: stored)
        }
    }

    /// Validates a stale response in the background, for later requests.
    private func sendRefresh(_ refresh: CacheRefresh) {
        if core.withLock({ $0.chain.outcome.isCancelled }) { return refresh.end() }
        var request = request.withoutConditions
        request.cachePolicy = .validate
        let task = ServiceTask(
            request: request, dataSource: dataSource, transferSource: transferSource, plan: plan,
            context: context.map { TaskContext(clock: $0.clock, watcher: nil, load: nil) },
            log: log?.ofAnother(request), unhandledError: nil)
        task.responseCompleted(.utility) { [self] result in
            refresh.end()
            if case .success = result { reportRefresh() }
        }
        task.resume()
    }

    /// Reports the refresh after the stale response was delivered, which a busy queue can delay.
    private func reportRefresh() {
        guard let report = context?.watcher?.taskHasRefreshed else { return }
        attach(
            HandlerLink(.utility, .head, onlyWatches: true, receivesFailure: false) { [self] _ in
                {
                    report(self)
                    return nil
                }
            } onFailure: { [self] _ in
                report(self)
                return nil
            })
    }

    private func useStoredResponse(_ stored: StoredResponse) {
        if plan.isComplete(stored) { return completeWithStoredResponse(stored, on: nil) }
        // If a stage rejects the stored response, another thread may send the request.
        storeCaller()
        completeOnParsingQueue(with: stored)
    }

    private func completeOnParsingQueue(with stored: StoredResponse) {
        let queue = core.withLock { $0.chain.parsingQueue }
        queue.async { self.completeWithStoredResponse(stored, on: queue) }
    }

    private func completeWithStoredResponse(_ stored: StoredResponse, on queue: DispatchQueue?) {
        let results = storingResults(of: stored.response, caching, after: stored) {
            plan.runRemainingStages(for: stored, observer: observer, didRun: $0)
        }
        if let failure = results.failure {
            let error = describing(failure, stored.response)
            if let urlRequest = storageRequest {
                plan.stages[stored.stage].store?.perform { $0.remove(for: urlRequest) }
            }
            return DispatchQueue.parsing.async { self.takeCachingStep { $0.rejected(stored, error) } }
        }
        log?.used(stored, of: plan.stages[stored.stage].name)
        end(with: PipelineAdapter(.received(stored.response), plan, results), on: queue)
    }
}

extension ServiceError {
    /// Whether a transfer failed or a timeout passed, even during a token refresh.
    var isTransportFailure: Bool {
        switch reason {
        case .transport, .timedOut: true
        case .authentication: authenticationFailure?.isTransportFailure ?? false
        default: false
        }
    }
}

extension Request {
    fileprivate var withoutConditions: Request {
        var request = self
        for name in Validators.allConditions { request.headers[Headers.Name(name)] = nil }
        return request
    }
}
