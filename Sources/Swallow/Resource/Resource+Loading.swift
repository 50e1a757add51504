import Foundation

extension Resource {
    /// Sends a request, whatever there is, and cancels the load that it replaces.
    ///
    /// It asks whether the latest data is still right, where the server gave it a validator and the app hasn't
    /// overridden it. The first load also shows what caches have, however old, until the server has answered; where the
    /// configuration says ``EntityCaching/ignore`` they take no part. A configured ``EntityCaching/fallback`` or
    /// ``EntityCaching/prefer(maxAge:)`` has no say: without the server the load fails, and the data stays.
    ///
    /// Its events come on the main actor: ``ResourceEvent/requested`` within this call, the others later.
    @discardableResult
    public func load() -> ResourceLoad<Content> { load(ifNeeded: false) }

    private func load(ifNeeded acceptsFreshCache: Bool) -> ResourceLoad<Content> {
        let base = isOverridden ? nil : latestData.map { ($0, revision) }
        let (loading, replaced) = replaceLoading(base: base)
        send(for: loading, ifNeeded: acceptsFreshCache)
        announceStart(replaced)
        return ResourceLoad(loading)
    }

    /// Joins the load that is under way, or else loads unless the resource is up to date.
    ///
    /// With ``EntityCaching/standard``, the first load sends nothing if a cache has a response that is fresh by HTTP's
    /// rules and was received or confirmed within the expiration time.
    ///
    /// - Returns: the load, or one that has ended with the latest content or error.
    @discardableResult
    public func loadIfNeeded() -> ResourceLoad<Content> {
        if let loading { return ResourceLoad(loading) }
        guard isUpToDate else { return load(ifNeeded: invalidations == dataInvalidations) }
        if let latestError { return ResourceLoad(ended: .failure(latestError)) }
        return latestData.map { ResourceLoad(ended: .success($0.content)) } ?? load()
    }

    /// Takes a task's response as the resource's content, for instance when a PATCH is answered with the new state.
    ///
    /// It replaces a load under way, as ``load()`` does, and starts a task that was never started. If another load
    /// replaces it, a task whose method isn't safe goes on; only the handle's `cancel()` cancels it. A write whose
    /// answer is taken invalidates all resources of the path but this one. If it succeeds with a 204 or 205, which
    /// have no content (RFC 9110 §15.3.5), the load goes on with a request of its own.
    @discardableResult
    public func load(using task: ServiceTask) -> ResourceLoad<Content> {
        let (loading, replaced) = replaceLoading(base: nil)
        loading.task = task
        let take: @Sendable (Result<Entity<Content>, ServiceError>) -> Void = { result in
            MainActor.assumeIsolated { self.take(result, of: task, for: loading) }
        }
        if let request = future().request {
            task.onOutcome(.mainActor, request.need, request.entity, take)
        } else {
            let read: @Sendable (PipelineAdapter) throws -> Entity<Content> = { adapter in
                adapter.rawEntity.withContent(try adapter.value(as: Content.self, by: .resource))
            }
            task.onOutcome(.mainActor, .entity, read, take)
        }
        task.resumeIfCreated()
        announceStart(replaced)
        return ResourceLoad(loading)
    }

    /// Cancels a load after a delay, unless the resource has an observer or the load is awaited by then.
    ///
    /// A handler of ``ResourceLoad/onEnd(_:)`` awaits it, too. Observation doesn't count as an observer: see ``events``. A
    /// write that was given to ``load(using:)`` goes on.
    ///
    /// - Parameter delay: by the service's clock; zero, the default, is at once.
    public func cancelLoadIfUnobserved(after delay: Duration) {
        guard let loading else { return }
        let cancel: @MainActor () -> Void = { [weak self] in
            guard let self, !isObserved, !loading.outcome.isAwaited else { return }
            self.cancel(loading, isAskedFor: false)
        }
        if delay <= .zero { return cancel() }
        _ = clock.schedule(after: delay) { MainActor.runSoon(cancel) }
    }
}

// MARK: - Beginning

extension Resource {
    private func replaceLoading(
        base: (Entity<Content>, Int)?
    ) -> (new: Loading<Content>, replaced: Loading<Content>?) {
        let replaced = loading
        let new = Loading(of: self, base: base, mending: latestError ?? replaced?.mended)
        loading = new
        latestError = nil
        replaced?.stop()
        return (new, replaced)
    }

    private func announceStart(_ replaced: Loading<Content>?) {
        if let replaced { end(replaced, .failure(ServiceError(.cancelled))) }
        raise(.requested)
    }

    /// - Parameter acceptsFreshCache: whether fresh data from a cache is enough.
    private func send(for loading: Loading<Content>, ifNeeded acceptsFreshCache: Bool = false) {
        let future = future()
        if let request = future.request { return send(request, for: loading, ifNeeded: acceptsFreshCache) }
        let work = future.start { [clock] result in
            self.finish(loading, result.map { Entity(content: $0, timestamp: clock.now) })
        }
        loading.work.append(work)
    }

    private func send(
        _ request: FutureRequest<Content>, for loading: Loading<Content>, ifNeeded acceptsFreshCache: Bool
    ) {
        do {
            let task = try request.maker.task(on: .server(loading.base?.data.validators))
            if address == nil { address = task.address }
            if latestData == nil, task.plan.hasCaches, task.readsCaches {
                let reading = try request.maker.task(on: .caches)
                // False if the closure made its task with a service of its own, which these terms don't reach.
                if reading.request.entityCaching.sendsNothing {
                    loading.readsCaches = true
                    if acceptsFreshCache, try request.maker.task().request.entityCaching == .standard {
                        return start(reading, request, for: loading) { result in
                            if self.endsWithCached(result, of: reading, loading) { return }
                            self.takeCached(result, for: loading)
                            guard loading === self.loading else { return }
                            self.start(task, request, for: loading) { self.finish(loading, $0) }
                        }
                    }
                    start(reading, request, for: loading) { self.takeCached($0, for: loading) }
                }
            }
            start(task, request, for: loading) { self.finish(loading, $0) }
        } catch {
            loading.work.append(
                ServiceFuture<Content>(error: error).start { _ in
                    self.finish(loading, .failure(ServiceError(thrown: error, request: nil)))
                })
        }
    }

    private func start(
        _ task: ServiceTask, _ request: FutureRequest<Content>, for loading: Loading<Content>,
        _ handler: @escaping @MainActor (Result<Entity<Content>, ServiceError>) -> Void
    ) {
        task.onOutcome(.mainActor, request.need, request.entity) { result in
            MainActor.assumeIsolated { handler(result) }
        }
        loading.work.append(StartedFuture(work: .request(task)))
        task.resume()
    }
}

// MARK: - Refreshed by others

extension Resource {
    /// Reads the refreshed caches, unless a load is under way, or the app has set the data itself.
    func cachesHaveRefreshed(by task: ServiceTask) {
        guard latestData != nil, !isOverridden, loading == nil, url?.absoluteString == task.address,
            let request = future().request, let reading = try? request.maker.task(on: .caches),
            reading.request.entityCaching.sendsNothing
        else { return }
        let known = revision
        reading.onOutcome(.mainActor, request.need, request.entity) { result in
            MainActor.assumeIsolated { self.takeRefreshed(result, since: known) }
        }
        reading.resume()
    }

    /// Takes refreshed data from a cache, unless the data has changed meanwhile.
    private func takeRefreshed(_ result: Result<Entity<Content>, ServiceError>, since known: Int) {
        guard known == revision, loading == nil, let data = latestData, case .success(let entity) = result,
            entity.timestamp > data.timestamp
        else { return }
        if let confirmed = entity.validators, data.validators?.haveFields(of: confirmed) == true {
            confirm(data.confirmed(at: entity.timestamp))
            raise(.notModified)
        } else {
            replaceData(entity)
            raise(.newData(.cache))
        }
    }
}

// MARK: - Ending

extension Resource {
    /// Ends a load with cached data that is fresh, also by what the request asks of caches, and within the expiration time;
    /// false if it isn't, or if there is other data by now.
    private func endsWithCached(
        _ result: Result<Entity<Content>, ServiceError>, of reading: ServiceTask, _ loading: Loading<Content>
    ) -> Bool {
        guard loading === self.loading, latestData == nil, case .success(let entity) = result,
            let freshness = entity.freshness, freshness.isFresh, reading.asksNoMore(than: freshness),
            isInTime(entity.timestamp)
        else { return false }
        loading.readsCaches = false
        finish(loading, result)
        return true
    }

    /// Takes cached data, unless the load has been replaced, or there is other data by now.
    private func takeCached(_ result: Result<Entity<Content>, ServiceError>, for loading: Loading<Content>) {
        guard loading === self.loading, loading.readsCaches else { return }
        loading.readsCaches = false
        if case .success(let entity) = result, latestData == nil {
            replaceData(entity)
            raise(.newData(.cache))
        }
        // An observer may have replaced the load.
        if let failure = loading.failure { finish(loading, .failure(failure)) }
    }

    /// Takes a task's answer; where that was a write's without content, the load asks for it.
    private func take(
        _ result: Result<Entity<Content>, ServiceError>, of task: ServiceTask, for loading: Loading<Content>
    ) {
        guard loading === self.loading else { return }
        if !task.request.method.isSafe, result.isWithoutContent() {
            loading.task = nil
            send(for: loading)
        } else {
            finish(loading, result)
        }
    }

    /// Takes the end of a load, if it is still the latest one.
    private func finish(_ loading: Loading<Content>, _ result: Result<Entity<Content>, ServiceError>) {
        guard loading === self.loading else { return }
        switch result {
        case .success(let entity): succeed(loading, entity)
        case .failure(let error): fail(loading, error)
        }
    }

    private func succeed(_ loading: Loading<Content>, _ entity: Entity<Content>) {
        dataInvalidations = loading.invalidations
        if entity.origin == .revalidated, let data = latestData, !isOverridden,
            let known = data.validators, let confirmed = entity.validators, known.haveFields(of: confirmed)
        {
            confirm(data.confirmed(at: entity.timestamp))
            conclude(loading, .notModified, .success(data.content))
        } else {
            replaceData(entity)
            conclude(
                loading, .newData(entity.origin == .cache ? .cache : .network), .success(entity.content))
        }
    }

    private func fail(_ loading: Loading<Content>, _ error: ServiceError) {
        if let base = loading.base, let answer = error.response, base.data.isConfirmed(by: answer) {
            let data = base.data.confirmed(at: clock.now)
            let isKept = base.revision == revision
            dataInvalidations = loading.invalidations
            if isKept { confirm(data) } else { replaceData(data) }
            conclude(loading, isKept ? .notModified : .newData(.network), .success(data.content))
        } else if error.isCancelled {
            concludeCancelled(loading, error)
        } else if loading.readsCaches {
            loading.failure = error
        } else {
            latestError = error
            failureTimestamp = clock.now
            failureInvalidations = loading.invalidations
            conclude(loading, .error, .failure(error))
        }
    }

    /// Ends the latest load.
    private func conclude(
        _ loading: Loading<Content>, _ event: ResourceEvent, _ result: Result<Content, ServiceError>
    ) {
        hasLoaded = true
        self.loading = nil
        loading.stop()
        raise(event)
        end(loading, result)
    }

    /// Cancels a load; with `isAskedFor`, for its handle, also a write whose answer it takes.
    func cancel(_ loading: Loading<Content>, isAskedFor: Bool = true) {
        guard loading === self.loading else { return }
        loading.stop(isAskedFor: isAskedFor)
        concludeCancelled(loading, ServiceError(.cancelled))
    }

    private func concludeCancelled(_ loading: Loading<Content>, _ error: ServiceError) {
        if let mended = loading.mended { latestError = mended }
        conclude(loading, .requestCancelled, .failure(error))
    }

    /// Gives a load's result to its waiters, after the events raised before.
    func end(_ loading: Loading<Content>, _ result: Result<Content, ServiceError>) {
        for handler in loading.outcome.end(with: result) { callOut { handler(result) } }
    }

    func replaceData(_ entity: Entity<Content>?) {
        latestData = entity
        isOverridden = false
        revision += 1
    }
}

extension Entity {
    /// The same entity, as the server has confirmed it.
    fileprivate func confirmed(at timestamp: Date) -> Entity {
        var entity = self
        entity.timestamp = timestamp
        entity.origin = .revalidated
        return entity
    }
}

extension Result where Failure == ServiceError {
    /// Whether the server has succeeded and sent no content.
    fileprivate func isWithoutContent<Content>() -> Bool where Success == Entity<Content> {
        switch self {
        case .success(let entity): [204, 205].contains(entity.statusCode)
        case .failure(let error):
            [204, 205].contains(error.statusCode) && error.reason != .unacceptableStatus && !error.isCancelled
        }
    }
}

extension ServiceTask {
    /// Whether its caches would be read if they were asked alone.
    fileprivate var readsCaches: Bool {
        request.method == .GET && request.entityCaching != .ignore && request.entityCaching != .only
    }
}
