import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A response from the cache of a stage.
struct CachedHit: Sendable {
    /// The index of the stage in the plan.
    let stage: Int
    var cached: CachedResponse
    /// Whether the server has confirmed it.
    var isConfirmed = false
    /// The freshness at the time when the response was chosen.
    var freshness: Freshness?

    var response: ReceivedResponse {
        ReceivedResponse(
            head: head, data: cached.data, timestamp: cached.timestamp,
            origin: isConfirmed ? .revalidated : .cache, freshness: freshness.map { UsedFreshness($0) })
    }
}

extension CachedHit {
    /// The head. For an unconfirmed response, it has an `Age` field (RFC 9111 §4), and is created only when it is read.
    private var head: ResponseHead {
        guard !isConfirmed, let freshness else { return cached.head }
        return ResponseHead(statusCode: cached.head.statusCode) { [head = cached.head] in
            head.contentType
        } making: { [head = cached.head] in
            head.response.with(status: head.statusCode, age: freshness.age)
        }
    }

    /// A 304 for a caller that already has the response.
    var notModified: ReceivedResponse {
        let head = cached.response.with(status: 304, age: freshness?.age ?? .zero)
        return ReceivedResponse(
            head: ResponseHead(head), data: Data(), timestamp: cached.timestamp, origin: .cache,
            freshness: freshness.map { UsedFreshness($0) })
    }
}

extension HTTPURLResponse {
    fileprivate func with(status: Int, age: Duration) -> HTTPURLResponse {
        var headers = Headers(self)
        headers["Age"] = "\(age.components.seconds)"
        let copy = url.flatMap {
            HTTPURLResponse(
                url: $0, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers.combined)
        }
        return copy ?? self
    }
}

extension PipelinePlan {
    /// Reads a request's response from the caches of the stages before `end`, starting with the last of these stages.
    ///
    /// - Parameters:
    ///   - missed: Called for each stage whose cache doesn't have the response.
    ///   - leaving: Called once, before the search moves to a cache's queue.
    ///   - completion: Receives the hit, and whether it still runs on the calling thread.
    func read(
        _ request: URLRequest, before end: Int, isHere: Bool = true,
        missed: @escaping @Sendable (Stage) -> Void, leaving: @escaping @Sendable () -> Void,
        _ completion: @escaping @Sendable (CachedHit?, _ isHere: Bool) -> Void
    ) {
        guard let index = stages[..<min(end, stages.endIndex)].lastIndex(where: { $0.store != nil }),
            let store = stages[index].store
        else { return completion(nil, isHere) }
        let staysHere = isHere && store.cache.isImmediate
        if isHere, !staysHere { leaving() }
        store.perform { store in
            if let cached = store.read(for: request) {
                completion(CachedHit(stage: index, cached: cached), staysHere)
            } else {
                missed(self.stages[index])
                self.read(
                    request, before: index, isHere: staysHere, missed: missed, leaving: leaving, completion)
            }
        }
    }

    /// Returns whether no stage is left to run for a hit.
    func isComplete(_ hit: CachedHit) -> Bool { stage(toRun: hit) == stages.endIndex }

    /// Returns whether the remaining stages for a hit run no app code and the body is small. In this case, they take at
    /// most a millisecond.
    func isQuick(_ hit: CachedHit) -> Bool {
        stage(toRun: hit) > (lastOwnStage ?? -1) && ReceivedResponse.isSmall(hit.cached.data)
    }

    /// Returns the first stage to run. It is the stage after the one whose stored content this pipeline made, otherwise
    /// the first stage.
    private func stage(toRun hit: CachedHit) -> Int {
        hit.cached.contentOrigin === origin && hit.cached.content != nil ? hit.stage + 1 : 0
    }

    /// Runs the remaining stages on a stored response. They run on the stage's content if this pipeline made it,
    /// otherwise on the bytes.
    func runRemainingStages(
        for hit: CachedHit, observer: Observer?, didRun: ((Int, PipelineResults) -> Void)?
    ) -> PipelineResults {
        let cached = hit.cached
        guard cached.contentOrigin === origin, let content = cached.content else {
            let start = PipelineResults(.success(hit.response.entity), data: cached.data)
            return run(start, observer: observer, didRun: didRun)
        }
        let results = PipelineResults(
            .success(hit.response.entity.withContent(content)), data: cached.workingData ?? cached.data,
            json: cached.workingJSON, text: cached.workingText)
        return run(results, from: hit.stage + 1, observer: observer, didRun: didRun)
    }

    /// Returns the entry that the cache of a stage stores for a response from the network.
    ///
    /// - Parameters:
    ///   - hit: The hit of an earlier stage's cache, if the response isn't from the network.
    ///   - results: The results of the stage.
    func entry(
        for request: URLRequest, sentAt requestTimestamp: Date?, _ response: ReceivedResponse,
        _ hit: CachedHit?,
        _ results: PipelineResults
    ) -> CachedResponse? {
        guard case .success(let entity)? = results.output else { return nil }
        if var entry = hit?.cached {
            entry.content = entity.content
            fill(&entry, results)
            return entry
        }
        var entry = CachedResponse(
            response: response.head, data: response.data, content: entity.content,
            timestamp: response.timestamp, requestTimestamp: requestTimestamp, for: request
        ).withoutConnectionFields()
        fill(&entry, results)
        return entry
    }

    private func fill(_ entry: inout CachedResponse, _ results: PipelineResults) {
        entry.contentOrigin = origin
        entry.workingData = results.data
        entry.workingJSON = try? results.json?.get()
        entry.workingText = try? results.text?.get()
    }

    /// Updates every cache after the server has confirmed a response.
    ///
    /// - Parameter isWanted: Whether a cache may still store the response.
    func confirm(
        _ response: HTTPURLResponse, as confirmed: CachedResponse, for request: URLRequest,
        if isWanted: @escaping @Sendable (VariantStore) -> Bool
    ) {
        for store in stages.lazy.compactMap(\.store) {
            store.perform { store in
                store.confirm(response, as: confirmed, for: request) { isWanted(store) }
            }
        }
    }

    /// Compares the stored response in every cache with the response to a HEAD request.
    ///
    /// - Parameter delay: The time from the request to the response, in seconds.
    func compare(
        _ head: ReceivedResponse, after delay: TimeInterval, for request: URLRequest,
        if isWanted: @escaping @Sendable (VariantStore) -> Bool
    ) {
        for store in stages.lazy.compactMap(\.store) {
            store.perform { store in
                store.compare(head.head, at: head.timestamp, after: delay, for: request) { isWanted(store) }
            }
        }
    }

    /// Stores a failure in each cache that doesn't have a success at its key.
    ///
    /// - Parameter successes: The status codes of successes.
    func storeFailure(
        _ failure: CachedResponse, for request: URLRequest, unlessReplacing successes: StatusCodes,
        if isWanted: @escaping @Sendable (VariantStore) -> Bool
    ) {
        for store in stages.lazy.compactMap(\.store) {
            store.perform { store in
                store.writeFailure(failure, for: request, unlessReplacing: successes) { isWanted(store) }
            }
        }
    }

    /// Removes the responses for the URLs of some requests from the caches of all stages. Responses for these URLs that
    /// are arriving now aren't stored.
    func forgetVariants(_ requests: [URLRequest]) {
        if requests.isEmpty { return }
        let (stores, urls) = (stages.compactMap(\.store), requests.compactMap(\.url))
        CacheWipes.note(Set(stores.map(\.identity))) { url in urls.contains { url.isSameResource(as: $0) } }
        for store in stores {
            store.perform { store in for request in requests { store.removeVariants(for: request) } }
        }
    }

    /// Removes a request's response from the caches of all stages.
    func forget(_ request: URLRequest) {
        for store in stages.lazy.compactMap(\.store) { store.perform { $0.remove(for: request) } }
    }

    /// Removes a request's response from the cache of a stage.
    func forget(_ request: URLRequest, at stage: Int) {
        stages[stage].store?.perform { $0.remove(for: request) }
    }
}

extension VariantStore {
    /// Runs work with the cache on its queue, or at once if the cache is immediate.
    func perform(_ work: @escaping @Sendable (VariantStore) -> Void) {
        if cache.isImmediate { return work(self) }
        cache.workQueue.async { work(self) }
    }
}
