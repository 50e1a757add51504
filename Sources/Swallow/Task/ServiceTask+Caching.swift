import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension ServiceTask {
    func beginWithCaches(_ urlRequest: URLRequest) {
        let caching = RequestCaching(
            urlRequest, entityCaching, plan, ignoresServerRules: request.ignoresServerCacheRules,
            fallsBack: !isServerLoad, validators: validators
        ) { [request] status in
            request.acceptableStatusCodes.contains(status)
        }
        guard let caching else {
            keepCaller()
            return sendWithoutCaches(urlRequest)
        }
        core.withLock { $0.neededExtras.caching = caching }
        takeCachingStep { $0.start() }
    }

    /// How caches take part. If the body has a sink from the start, for example of a download, they don't take part.
    private var entityCaching: EntityCaching {
        let hasSink = core.withLock { $0.extras?.body?.hasSink ?? false }
        let caching = caching
        guard hasSink, !caching.sendsNothing else { return caching }
        log?.skippedCaches()
        return .ignore
    }

    func receiveWithCaches(_ response: ReceivedResponse, _ failure: ServiceError?) {
        let isCached = takeCachingStep { $0.received(response, failure) }
        if !isCached { end(with: PipelineAdapter(response, failure: failure, plan)) }
    }

    /// Called when the head arrives, because the body of a write's response may never be complete.
    func forgetWritten(_ head: HTTPURLResponse) {
        plan.forgetVariants(core.withLock { $0.extras?.caching?.takeRequestsToForget(after: head) ?? [] })
    }

    func failWithCaches(_ error: ServiceError) {
        update { core in
            if core.extras?.caching != nil { _ = core.exchange.complete() }
        }
        let isCached = takeCachingStep { $0.failed(error) }
        if !isCached { end(with: PipelineAdapter(failure: error, plan)) }
    }

    /// Returns `false` if no cache takes part.
    @discardableResult
    private func takeCachingStep(_ decide: (inout RequestCaching) -> RequestCaching.Step) -> Bool {
        guard let decision = decision(decide) else { return false }
        performCachingStep(decision)
        return true
    }

    private func decision(
        _ decide: (inout RequestCaching) -> RequestCaching.Step
    ) -> (step: RequestCaching.Step, caching: RequestCaching)? {
        core.withLock { core in
            // The previous state is returned, so that the app's objects in it are released outside the lock.
            guard let extras = core.extras, let replaced = extras.caching else { return nil }
            var caching = replaced
            defer { extras.caching = caching }
            return (decide(&caching), replaced)
        }
    }

    private func performCachingStep(_ decision: (step: RequestCaching.Step, caching: RequestCaching)) {
        switch decision.step {
        case .none: break
        case .read(let end): readCaches(before: end)
        case .readInstead(let end, let hasTimedOut):
            if hasTimedOut, let timeout = request.timeout {
                // The deadline still runs if the data source timed out.
                core.withLock { $0.extras?.works.deadline.take() }?.cancel()
                startDeadline(timeout)
            }
            readCaches(before: end)
        case .miss: end(with: PipelineAdapter(failure: .notCached(request), plan))
        case .send(let urlRequest, let validators):
            keepCaller()
            send(urlRequest.withoutTransportCache, asking: validators)
        case .use(let hit): useStoredResponse(hit)
        case .useAndRefresh(let hit):
            // The refresh is registered before the stored response is used, so that there is only one refresh.
            let refresh = requestToKeep.flatMap { plan.stages[hit.stage].store?.refresh(for: $0) }
            useStoredResponse(hit)
            if let refresh { sendRefresh(refresh) }
        case .confirm(let response, let hit):
            if let urlRequest = requestToKeep {
                plan.confirm(
                    response, as: hit.cached, for: urlRequest, if: mayKeep(decision.caching, urlRequest))
            }
            useStoredResponse(hit)
        case .forget(let changed, let input):
            plan.forgetVariants(changed)
            end(with: input)
        case .remove(let urlRequest, let input):
            plan.forget(urlRequest)
            end(with: input)
        case .compare(let urlRequest, let response, let input):
            plan.compare(
                response, after: decision.caching.delay(of: response), for: urlRequest,
                if: mayKeep(decision.caching, urlRequest))
            end(with: input)
        case .notModified(let hit):
            log?.used(hit, of: plan.stages[hit.stage].name)
            let response = hit.notModified
            let isAcceptable = request.acceptableStatusCodes.contains(304)
            let error = ServiceError(.unacceptableStatus, request: request, response: response.head)
            end(with: PipelineAdapter(response, failure: isAcceptable ? nil : error, plan))
        case .fail(let hit):
            log?.used(hit, of: plan.stages[hit.stage].name)
            let error = ServiceError(.unacceptableStatus, request: request, response: hit.cached.response)
            end(with: PipelineAdapter(hit.response, failure: error, plan))
        case .keep(let failure, let input):
            if let urlRequest = requestToKeep {
                if RequestCaching.isGone(failure.head.statusCode) { plan.forget(urlRequest) }
                plan.storeFailure(
                    failure, for: urlRequest, unlessReplacing: request.acceptableStatusCodes,
                    if: mayKeep(decision.caching, urlRequest))
            }
            end(with: input)
        case .take(let input): end(with: input)
        }
    }

    private func readCaches(before end: Int) {
        guard let urlRequest = requestToKeep else { return }
        plan.read(urlRequest, before: end) { stage in
            self.log?.missed(stage.name)
        } leaving: {
            self.keepCaller()
        } _: { hit, isHere in
            if let hit { self.log?.hit(self.plan.stages[hit.stage].name) }
            isHere ? self.takeFoundResponse(hit) : self.takeFoundResponseOnCacheQueue(hit)
        }
    }

    /// Whether a stored response is as fresh as the request requires (RFC 9111 §5.2.1).
    func asksNoMore(than freshness: Freshness) -> Bool {
        guard let urlRequest = requestToKeep else { return true }
        let (age, lifetime) = (freshness.age.seconds, freshness.lifetime.seconds)
        return RequestTerms(urlRequest).allow(age: age, remaining: lifetime - age)
    }

    private func takeFoundResponse(_ hit: CachedHit?) {
        let now = now
        takeCachingStep { $0.found(hit, now: now) }
    }

    /// Quick work stays on the cache's queue, because waking another queue's thread takes 10 µs.
    private func takeFoundResponseOnCacheQueue(_ hit: CachedHit?) {
        let now = now
        guard let decision = decision({ $0.found(hit, now: now) }) else { return }
        guard case .use(let hit) = decision.step else {
            return DispatchQueue.workplace.async { self.performCachingStep(decision) }
        }
        plan.isQuick(hit) ? completeWithStoredResponse(hit, on: nil) : useStoredResponse(hit)
    }

    /// Validates a stale hit in the background, for later requests. All tasks that find it stale share one refresh.
    private func sendRefresh(_ refresh: CacheRefresh) {
        if core.withLock({ $0.chain.outcome.isCancelled }) { return refresh.end() }
        var request = request.withoutConditions
        request.entityCaching = .revalidate
        let task = ServiceTask(
            request: request, dataSource: dataSource, transferSource: transferSource, plan: plan,
            surroundings: surroundings.map { TaskSurroundings(clock: $0.clock, watcher: nil, load: nil) },
            log: log?.ofAnother(request), unhandledError: nil)
        task.responseCompleted(.utility) { [self] result in
            refresh.end()
            if case .success = result { surroundings?.watcher?.taskHasRefreshed?(self) }
        }
        task.resume()
    }

    private func useStoredResponse(_ hit: CachedHit) {
        if plan.isComplete(hit) { return completeWithStoredResponse(hit, on: nil) }
        // If a stage fails on the stored response, the request is sent from the workplace.
        keepCaller()
        let workplace = core.withLock { $0.chain.workplace }
        workplace.async { self.completeWithStoredResponse(hit, on: workplace) }
    }

    private func completeWithStoredResponse(_ hit: CachedHit, on queue: DispatchQueue?) {
        let results = storingResults(of: hit.response, after: hit) {
            plan.runRemainingStages(for: hit, observer: observer, didRun: $0)
        }
        if let failure = results.failure {
            let error = completed(failure, hit.response)
            if let urlRequest = requestToKeep { plan.forget(urlRequest, at: hit.stage) }
            // This may send a request, so it must not run on a cache's queue.
            return (queue ?? .workplace).async { self.takeCachingStep { $0.refused(hit, error) } }
        }
        log?.used(hit, of: plan.stages[hit.stage].name)
        let adapter = PipelineAdapter(.received(hit.response), plan, results)
        update(on: queue) { core in
            _ = core.exchange.complete()
            core.chain.outcome.completeTransfer(with: adapter)
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
