import Foundation
import Swallow

extension Resource {
    /// Starts a load, even if the resource is up to date. Replaces the running load, if any.
    ///
    /// If the load fails, the data stays. The policies `ignore`, `reload` and `onlyCache` apply unchanged. With any
    /// other `CachePolicy`, a future that is one request uses `validate`. A load without earlier data can show cached
    /// data until the server responds.
    @discardableResult
    public func load() -> ResourceLoad<Content> { load(ifNeeded: false) }

    private func load(ifNeeded acceptsFreshCache: Bool) -> ResourceLoad<Content> {
        let base = isOverridden ? nil : serverEntity.map { ($0, revision) }
        let (loading, replaced) = replaceLoading(base: base)
        send(for: loading, ifNeeded: acceptsFreshCache)
        announceStart(replaced)
        return ResourceLoad(loading)
    }

    /// Joins the running load. If there is none, loads the resource unless it is up to date.
    ///
    /// Without earlier data, `CachePolicy.standard` can use a fresh cached response (RFC 9111 §4.2) and send nothing.
    ///
    /// - Returns: The load. If the resource is up to date, a completed load with its content or error.
    @discardableResult
    public func loadIfNeeded() -> ResourceLoad<Content> {
        if let loading { return ResourceLoad(loading) }
        guard isUpToDate else { return load(ifNeeded: invalidations == dataInvalidations) }
        if let latestError { return ResourceLoad(ended: .failure(latestError)) }
        return latestEntity.map { ResourceLoad(ended: .success($0.content)) } ?? load()
    }

    /// Uses a task's response as the content, for example of a PATCH that returns the new state. Starts the task.
    ///
    /// This load replaces a running load, as ``load()`` does. A write continues even if this load is replaced or wiped.
    /// If the response to a write is a 204 or 205, which have no content, the resource sends its own request.
    @discardableResult
    public func load(using task: ServiceTask) -> ResourceLoad<Content> {
        let (loading, replaced) = replaceLoading(base: nil)
        loading.task = task
        let take: @Sendable (Result<Entity<Content>, ServiceError>) -> Void = { result in
            MainActor.assumeIsolated { self.take(result, of: task, for: loading) }
        }
        let (type, read) = reading
        task.onOutcome(.main, of: type, reading: read, take)
        announceStart(replaced)
        return ResourceLoad(loading)
    }

    /// The type for which the pipeline prepares a task's content, and the closure that reads it.
    var reading: (type: Any.Type, read: @Sendable (TaskContent) throws -> Entity<Content>) {
        if let request = future().request { return (request.type, request.entity) }
        return (
            (any Sendable).self, { $0.head.withContent(try $0.value(as: Content.self, takesParsed: true)) }
        )
    }

    /// Cancels the current load after a delay, unless the resource is observed or the load is awaited at that time.
    ///
    /// A load with a handler of ``ResourceLoad/onEnd(_:)`` counts as awaited. A view that only reads the resource's
    /// properties doesn't count as an observer (see ``events``). A write in ``load(using:)`` continues.
    ///
    /// - Parameter delay: The delay, by the service's clock.
    public func cancelLoadIfUnobserved(after delay: Duration) {
        guard let loading else { return }
        let cancel: @MainActor () -> Void = { [weak self] in
            guard let self, !isObserved, !loading.outcome.isAwaited else { return }
            self.cancel(loading, isExplicit: false)
        }
        if delay <= .zero { return cancel() }
        _ = clock.schedule(after: delay) { MainActor.runSoon(cancel) }
    }
}

// MARK: - Starting a load

extension Resource {
    private func replaceLoading(
        base: (Entity<Content>, Int)?
    ) -> (new: Loading<Content>, replaced: Loading<Content>?) {
        let replaced = loading
        let new = Loading(of: self, base: base, after: latestError ?? replaced?.earlierError)
        loading = new
        latestError = nil
        replaced?.stop()
        return (new, replaced)
    }

    private func announceStart(_ replaced: Loading<Content>?) {
        if let replaced { end(replaced, .failure(ServiceError(.cancelled))) }
        raise(.requested)
    }

    /// Sends the requests of a load. With `acceptsFreshCache`, fresh data from a cache can complete the load.
    private func send(for loading: Loading<Content>, ifNeeded acceptsFreshCache: Bool = false) {
        var future = future()
        if let request = future.request {
            do {
                return try send(request, for: loading, ifNeeded: acceptsFreshCache)
            } catch {
                future = ServiceFuture(error: error)
            }
        }
        let work = future.start { [clock] result in
            self.finish(loading, result.map { Entity(content: $0, timestamp: clock.now) })
        }
        loading.work.append(work)
    }

    private func send(
        _ request: FutureRequest<Content>, for loading: Loading<Content>, ifNeeded acceptsFreshCache: Bool
    ) throws {
        let task = try request.maker.loadTask(confirming: loading.base?.data)
        if address == nil { address = task.address }
        // A future's closure may ignore the service that it is passed. Its tasks then show no stored responses.
        if serverEntity == nil, task.mayShowStoredResponse() {
            let reading = try request.maker.loadTask(fromCachesAlone: true, confirming: loading.base?.data)
            loading.readsCaches = true
            if acceptsFreshCache {
                return start(reading, request, for: loading) { result in
                    if self.endsWithCached(result, of: reading, loading) { return }
                    self.takeCached(result, for: loading)
                    guard loading === self.loading else { return }
                    self.start(task, request, for: loading) { self.finish(loading, $0) }
                }
            }
            start(reading, request, for: loading) { self.takeCached($0, for: loading) }
        }
        start(task, request, for: loading) { self.finish(loading, $0) }
    }

    private func start(
        _ task: ServiceTask, _ request: FutureRequest<Content>, for loading: Loading<Content>,
        _ handler: @escaping @MainActor (Result<Entity<Content>, ServiceError>) -> Void
    ) {
        loading.work.append(StartedFuture(work: .request(task)))
        task.onOutcome(.main, of: request.type, reading: request.entity) { result in
            MainActor.assumeIsolated { handler(result) }
        }
    }
}

// MARK: - Background refreshes

extension Resource {
    func cachesHaveRefreshed(by task: ServiceTask) {
        guard serverEntity != nil, !isOverridden, loading == nil, url?.absoluteString == task.address,
            let request = future().request,
            let reading = try? request.maker.loadTask(fromCachesAlone: true, confirming: serverEntity),
            reading.mayShowStoredResponse()
        else { return }
        let earlier = revision
        reading.onOutcome(.main, of: request.type, reading: request.entity) { result in
            MainActor.assumeIsolated { self.takeRefreshed(result, since: earlier) }
        }
    }

    private func takeRefreshed(_ result: Result<Entity<Content>, ServiceError>, since earlier: Int) {
        guard earlier == revision, loading == nil, let data = serverEntity,
            case .success(let entity) = result,
            entity.timestamp > data.timestamp
        else { return }
        if let confirmed = data.confirmed(byValidatorsOf: entity) {
            confirm(confirmed)
            raise(.notModified)
        } else {
            replaceData(entity)
            raise(.newData(.cache))
        }
    }
}

// MARK: - Completing a load

extension Resource {
    /// Completes a load with its cached data, if that is permitted. Returns whether it did.
    private func endsWithCached(
        _ result: Result<Entity<Content>, ServiceError>, of reading: ServiceTask, _ loading: Loading<Content>
    ) -> Bool {
        guard loading === self.loading, serverEntity == nil, case .success(let entity) = result,
            let freshness = entity.freshness, reading.mayShowStoredResponse(completing: freshness),
            isInTime(entity.timestamp)
        else { return false }
        loading.readsCaches = false
        finish(loading, result)
        return true
    }

    private func takeCached(_ result: Result<Entity<Content>, ServiceError>, for loading: Loading<Content>) {
        guard loading === self.loading, loading.readsCaches else { return }
        loading.readsCaches = false
        if case .success(let entity) = result, serverEntity == nil {
            replaceData(entity)
            raise(.newData(.cache))
        }
        // This has no effect if an observer has replaced the load.
        if let failure = loading.failure { finish(loading, .failure(failure)) }
    }

    /// Uses a task's response. After a write with status 204 or 205, sends the resource's own request.
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

    private func finish(_ loading: Loading<Content>, _ result: Result<Entity<Content>, ServiceError>) {
        guard loading === self.loading else { return }
        switch result {
        case .success(let entity):
            succeed(loading, entity)
            if entity.origin != .cache { store?.noteLoad(of: self, reachedServer: true) }
        case .failure(let error):
            fail(loading, error)
            if let reachedServer = error.reachedServer {
                store?.noteLoad(of: self, reachedServer: reachedServer)
            }
        }
    }

    private func succeed(_ loading: Loading<Content>, _ entity: Entity<Content>) {
        dataInvalidations = loading.invalidations
        if entity.origin == .revalidated, !isOverridden,
            let confirmed = serverEntity?.confirmed(byValidatorsOf: entity)
        {
            confirm(confirmed)
            conclude(loading, .notModified, .success(confirmed.content))
        } else {
            replaceData(entity)
            conclude(
                loading, .newData(entity.origin == .cache ? .cache : .network), .success(entity.content))
        }
    }

    private func fail(_ loading: Loading<Content>, _ error: ServiceError) {
        if let base = loading.base, let response = error.response,
            let data = base.data.confirmed(by: response, at: clock.now)
        {
            let isUnchanged = base.revision == revision
            dataInvalidations = loading.invalidations
            if isUnchanged { confirm(data) } else { replaceData(data) }
            conclude(loading, isUnchanged ? .notModified : .newData(.network), .success(data.content))
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

    private func conclude(
        _ loading: Loading<Content>, _ event: ResourceEvent, _ result: Result<Content, ServiceError>
    ) {
        hasLoaded = true
        self.loading = nil
        loading.stop()
        raise(event)
        end(loading, result)
    }

    func cancel(_ loading: Loading<Content>, isExplicit: Bool = true) {
        guard loading === self.loading else { return }
        loading.stop(isExplicit: isExplicit)
        concludeCancelled(loading, ServiceError(.cancelled))
    }

    private func concludeCancelled(_ loading: Loading<Content>, _ error: ServiceError) {
        if let earlierError = loading.earlierError { latestError = earlierError }
        conclude(loading, .requestCancelled, .failure(error))
    }

    /// Ends a load's `await`s with its result, and calls its handlers after the observers have received earlier events.
    func end(_ loading: Loading<Content>, _ result: Result<Content, ServiceError>) {
        for handler in loading.outcome.end(with: result) { callOut { handler(result) } }
    }

    func replaceData(_ entity: Entity<Content>?) {
        serverEntity = entity
        isOverridden = false
        revision += 1
    }
}

extension Entity {
    /// Returns a copy with the other's time if both entities have the same validators (RFC 9110 §8.8).
    fileprivate func confirmed(byValidatorsOf other: Entity) -> Entity? {
        let (headers, otherHeaders) = (headers, other.headers)
        guard headers[.eTag] != nil || headers[.lastModified] != nil,
            headers[.eTag] == otherHeaders[.eTag], headers[.lastModified] == otherHeaders[.lastModified]
        else { return nil }
        return confirmed(at: other.timestamp)
    }
}

extension ServiceError {
    /// Whether the error has a response, which may be from a cache. A transport error without a response counts as no.
    /// `nil` for other errors.
    fileprivate var reachedServer: Bool? {
        if response != nil { return true }
        return if case .transport = reason { false } else { nil }
    }
}

extension Entity {
    var isWithoutContent: Bool { [204, 205].contains(statusCode) }
}

extension Result where Failure == ServiceError {
    fileprivate func isWithoutContent<Content>() -> Bool where Success == Entity<Content> {
        switch self {
        case .success(let entity): entity.isWithoutContent
        case .failure(let error):
            [204, 205].contains(error.statusCode) && error.reason != .unacceptableStatus && !error.isCancelled
        }
    }
}
