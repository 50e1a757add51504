import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Carries out what ``RequestCaching`` decides.
extension ServiceTask {
    /// Sends a request, unless a cache has a fresh response.
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
        carryOut { $0.start() }
    }

    /// How caches take part. If the body has a sink from the start, for example of a download, they don't take part.
    private var entityCaching: EntityCaching {
        let hasSink = core.withLock { $0.extras?.body?.hasSink ?? false }
        guard hasSink, !request.entityCaching.sendsNothing else { return request.entityCaching }
        log?.skippedCaches()
        return .ignore
    }

    /// Takes the server's answer.
    func receiveWithCaches(_ response: ReceivedResponse, _ failure: ServiceError?) {
        let isCached = carryOut { $0.received(response, failure) }
        if !isCached { end(with: PipelineAdapter(response, failure: failure, plan), cancelling: false) }
    }

    /// Makes caches forget what a write has changed. Called when the response's head has come, since its body may never end.
    func forgetWritten(_ head: HTTPURLResponse) {
        plan.forgetVariants(core.withLock { $0.extras?.caching?.takeRequestsToForget(after: head) ?? [] })
    }

    /// Ends the transfer with a failure, or with a cached response in its place.
    func failWithCaches(_ error: ServiceError, cancelling: Bool) {
        update { core in
            if core.extras?.caching != nil { _ = core.exchange.control.end(cancelling: cancelling) }
        }
        let isCached = carryOut { $0.failed(error) }
        if !isCached { end(with: PipelineAdapter(failure: error, plan), cancelling: cancelling) }
    }

    /// Asks ``RequestCaching`` for the next step, and carries it out.
    ///
    /// - Returns: false where no cache takes part.
    @discardableResult
    private func carryOut(_ decide: (inout RequestCaching) -> RequestCaching.Step) -> Bool {
        guard let decision = decision(decide) else { return false }
        carryOut(decision)
        return true
    }

    /// Decides the next step; returns it with the state that it was decided from.
    private func decision(
        _ decide: (inout RequestCaching) -> RequestCaching.Step
    ) -> (step: RequestCaching.Step, caching: RequestCaching)? {
        core.withLock { core in
            // The replaced state is returned, so that objects of the app's in it are released outside the lock.
            guard let extras = core.extras, let replaced = extras.caching else { return nil }
            var caching = replaced
            defer { extras.caching = caching }
            return (decide(&caching), replaced)
        }
    }

    private func carryOut(_ decision: (step: RequestCaching.Step, caching: RequestCaching)) {
        switch decision.step {
        case .none: break
        case .read(let end): read(before: end)
        case .readInstead(let end, let hasTimedOut):
            if hasTimedOut, let timeout = request.timeout {
                // The deadline still runs if it was the data source that timed out.
                core.withLock { $0.extras?.works.deadline.take() }?.cancel()
                startDeadline(timeout)
            }
            read(before: end)
        case .miss: end(with: PipelineAdapter(failure: .notCached(request), plan), cancelling: false)
        case .send(let urlRequest, let validators):
            keepCaller()
            send(urlRequest.withoutTransportCache, asking: validators)
        case .use(let hit): use(hit)
        case .useAndRefresh(let hit):
            // Registered before the hit is used, so that there is one refresh, however soon the server answers.
            let refresh = requestToKeep.flatMap { plan.stages[hit.stage].store?.refresh(for: $0) }
            use(hit)
            if let refresh { send(refresh) }
        case .confirm(let response, let hit):
            if let urlRequest = requestToKeep {
                plan.confirm(
                    response, as: hit.cached, for: urlRequest, if: mayKeep(decision.caching, urlRequest))
            }
            use(hit)
        case .forget(let changed, let input):
            plan.forgetVariants(changed)
            end(with: input, cancelling: false)
        case .remove(let urlRequest, let input):
            plan.forget(urlRequest)
            end(with: input, cancelling: false)
        case .compare(let urlRequest, let response, let input):
            plan.compare(
                response, after: decision.caching.delay(of: response), for: urlRequest,
                if: mayKeep(decision.caching, urlRequest))
            end(with: input, cancelling: false)
        case .notModified(let hit):
            log?.used(hit, of: plan.stages[hit.stage].name)
            let response = hit.notModified
            let isAcceptable = request.acceptableStatusCodes.contains(304)
            let error = ServiceError(.unacceptableStatus, request: request, response: response.head)
            end(with: PipelineAdapter(response, failure: isAcceptable ? nil : error, plan), cancelling: false)
        case .fail(let hit):
            log?.used(hit, of: plan.stages[hit.stage].name)
            let error = ServiceError(.unacceptableStatus, request: request, response: hit.cached.response)
            end(with: PipelineAdapter(hit.response, failure: error, plan), cancelling: false)
        case .keep(let failure, let input):
            if let urlRequest = requestToKeep {
                if RequestCaching.isGone(failure.head.statusCode) { plan.forget(urlRequest) }
                plan.storeFailure(
                    failure, for: urlRequest, unlessReplacing: request.acceptableStatusCodes,
                    if: mayKeep(decision.caching, urlRequest))
            }
            end(with: input, cancelling: false)
        case .take(let input): end(with: input, cancelling: false)
        }
    }

    private func read(before end: Int) {
        guard let urlRequest = requestToKeep else { return }
        plan.read(urlRequest, before: end) { stage in
            self.log?.missed(stage.name)
        } leaving: {
            self.keepCaller()
        } _: { hit, isHere in
            if let hit { self.log?.hit(self.plan.stages[hit.stage].name) }
            isHere ? self.found(hit) : self.foundElsewhere(hit)
        }
    }

    /// Whether a cached response is as fresh as the request wants it (RFC 9111 §5.2.1).
    func asksNoMore(than freshness: Freshness) -> Bool {
        guard let urlRequest = requestToKeep else { return true }
        let (age, lifetime) = (freshness.age.seconds, freshness.lifetime.seconds)
        return RequestTerms(urlRequest).allow(age: age, remaining: lifetime - age)
    }

    private func found(_ hit: CachedHit?) {
        // Asked without the lock: the clock may be the app's.
        let now = now
        carryOut { $0.found(hit, now: now) }
    }

    /// Takes what a cache found, on that cache's queue. Requests and the app's code go to other queues. Quick work
    /// stays here, since waking another queue's thread costs 10 µs.
    private func foundElsewhere(_ hit: CachedHit?) {
        let now = now
        guard let decision = decision({ $0.found(hit, now: now) }) else { return }
        guard case .use(let hit) = decision.step else {
            return DispatchQueue.workplace.async { self.carryOut(decision) }
        }
        plan.isQuick(hit) ? make(hit, on: nil) : use(hit)
    }

    /// Revalidates a stale hit in the background, for later requests: one refresh for all tasks that find it stale.
    private func send(_ refresh: CacheRefresh) {
        if core.withLock({ $0.chain.isCancelled }) { return refresh.end() }
        var request = request.withoutConditions
        request.entityCaching = .revalidate
        let task = ServiceTask(
            request: request, dataSource: dataSource, carriers: carriers, plan: plan,
            surroundings: surroundings.map { TaskSurroundings(clock: $0.clock, watcher: nil, load: nil) },
            log: log?.ofAnother(request), unhandledError: nil)
        task.responseCompleted(.utility) { [self] result in
            refresh.end()
            if case .success = result { surroundings?.watcher?.taskHasRefreshed(self) }
        }
        task.resume()
    }

    /// Makes content of a hit; off the main thread if stages have to run.
    private func use(_ hit: CachedHit) {
        if plan.isComplete(hit) { return make(hit, on: nil) }
        // The stages may refuse it, and then the request is sent from there.
        keepCaller()
        let workplace = core.withLock { $0.chain.workplace }
        workplace.async { self.make(hit, on: workplace) }
    }

    private func make(_ hit: CachedHit, on queue: DispatchQueue?) {
        let results = keeping(hit.response, after: hit) { plan.run(hit, observer: observer, didRun: $0) }
        if let failure = results.failure {
            let error = completed(failure, hit.response)
            if let urlRequest = requestToKeep { plan.forget(urlRequest, at: hit.stage) }
            // This may send a request, so it must not run on a cache's queue.
            return (queue ?? .workplace).async { self.carryOut { $0.refused(hit, error) } }
        }
        log?.used(hit, of: plan.stages[hit.stage].name)
        let adapter = PipelineAdapter(.received(hit.response), plan, results)
        update(on: queue) { core in
            _ = core.exchange.control.end(cancelling: false)
            core.chain.complete(with: adapter)
        }
    }
}

// MARK: - The pipeline

extension ServiceTask {
    /// Runs the pipeline over the transfer's result, and lets the stages' caches keep the outputs.
    func process(_ input: PipelineAdapter) -> Result<PipelineAdapter, ServiceError> {
        let start = input.unprocessedResults
        let results =
            if plan.hasCaches, let response = input.response, input.isCacheable {
                keeping(response) { plan.run(start, observer: observer, didRun: $0) }
            } else {
                plan.run(start, observer: observer)
            }
        return result(results, input)
    }

    /// Runs stages. After a success, the caches of the stages after the hit's keep the outputs.
    private func keeping(
        _ response: ReceivedResponse, after hit: CachedHit? = nil,
        _ run: (((Int, PipelineResults) -> Void)?) -> PipelineResults
    ) -> PipelineResults {
        guard let caching = plan.hasCaches ? core.withLock({ $0.extras?.caching }) : nil,
            let urlRequest = caching.requestToKeep
        else { return run(nil) }
        var entries: [(PipelinePlan.Stage, CachedResponse)] = []
        let results = run { [plan] index, results in
            guard index > hit?.stage ?? -1, plan.stages[index].store != nil,
                let entry = plan.entry(for: urlRequest, sentAt: caching.sent, response, hit, results)
            else { return }
            entries.append((plan.stages[index], entry))
        }
        if results.failure != nil { return results }
        // Entries are kept despite a later cancellation: a handler may cancel once it has its content.
        if core.withLock({ $0.chain.isCancelled }) { return results }
        let mayKeep = mayKeep(caching, urlRequest)
        for (stage, entry) in entries {
            guard let store = stage.store, mayKeep(store) else { continue }
            log?.wrote(stage.name)
            store.perform { store in store.write(entry, for: urlRequest) { mayKeep(store) } }
        }
        return results
    }

    /// Whether a cache may keep the response: not if it was wiped since the request began.
    private func mayKeep(
        _ caching: RequestCaching, _ urlRequest: URLRequest
    ) -> @Sendable (VariantStore) -> Bool {
        { [url = urlRequest.url, latestWipe = caching.latestWipe] store in
            CacheWipes.allow(url, in: store.identity, since: latestWipe)
        }
    }

    private func result(
        _ results: PipelineResults, _ input: PipelineAdapter
    ) -> Result<PipelineAdapter, ServiceError> {
        guard case .success(let entity)? = results.output else {
            let error = completed(results.failure ?? ServiceError(.invalidResponse), input.response)
            log?.failed(error)
            return .failure(error)
        }
        if let response = input.response {
            return .success(PipelineAdapter(.received(response), plan, results))
        }
        return .success(recoveredContent(entity))
    }

    private func completed(_ error: ServiceError, _ response: ReceivedResponse?) -> ServiceError {
        var error = error.after(core.withLock { $0.exchange.attempt.sent })
        error.request = error.request ?? request
        error.response = error.response ?? response?.head
        error.entity = error.entity ?? response?.entity
        return error
    }

    /// The request under which caches keep the response; nil where they take no part.
    private var requestToKeep: URLRequest? {
        plan.hasCaches ? core.withLock { $0.extras?.caching?.requestToKeep } : nil
    }

    private var observer: PipelinePlan.Observer? {
        guard let log else { return nil }
        return { stage, transformer, duration, output in
            log.ran(transformer, in: stage, for: duration, output)
        }
    }
}

extension PipelineAdapter {
    /// Whether the response is one to keep: a success with a whole body, so no 206 and no 304 (RFC 9111 §3).
    fileprivate var isCacheable: Bool {
        guard error == nil, let response else { return false }
        return response.head.statusCode != 206 && response.head.statusCode != 304
    }
}
