import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A response that the cache of a stage had.
struct CachedHit: Sendable {
    /// The stage's place in the plan.
    let stage: Int
    var cached: CachedResponse
    /// Whether the server has confirmed it.
    var isConfirmed = false
    /// How fresh it was when it was decided to use it.
    var freshness: Freshness?

    var response: ReceivedResponse {
        ReceivedResponse(
            head: head, data: cached.data, timestamp: cached.timestamp,
            origin: isConfirmed ? .revalidated : .cache, freshness: freshness.map { UsedFreshness($0) })
    }
}

extension CachedHit {
    /// The head. For an unconfirmed response it has the `Age` (RFC 9111 §4), and is made only when it is read.
    private var head: ResponseHead {
        guard !isConfirmed, let freshness else { return cached.head }
        return ResponseHead(statusCode: cached.head.statusCode) { [head = cached.head] in
            head.contentType
        } making: { [head = cached.head] in
            head.response.with(status: head.statusCode, age: freshness.age)
        }
    }

    /// A 304, for a caller that has the response already.
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
    /// Looks for a request's response in the caches of the stages before one, the last of these first.
    ///
    /// - Parameters:
    ///   - missed: is told of each stage whose cache doesn't have it.
    ///   - leaving: is called once, before the search moves to a cache's queue.
    ///   - completion: gets the hit, and whether it still runs on the thread that called this.
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

    /// Whether nothing is left to run over a hit.
    func isComplete(_ hit: CachedHit) -> Bool { stage(toRun: hit) == stages.endIndex }

    /// Whether the stages that are left for a hit run no code of an app's, and its body is small: they take a millisecond at most.
    func isQuick(_ hit: CachedHit) -> Bool {
        stage(toRun: hit) > (lastOwnStage ?? -1) && ReceivedResponse.isSmall(hit.cached.data)
    }

    /// The stage to begin with: the one after the stage whose cached content this pipeline made, or else the first.
    private func stage(toRun hit: CachedHit) -> Int {
        hit.cached.contentOrigin === origin && hit.cached.content != nil ? hit.stage + 1 : 0
    }

    /// Runs the stages over what a cache had: over the stage's content, if this pipeline made it, else over the bytes.
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

    /// What the cache of a stage is to keep of a response that came from the network.
    ///
    /// - Parameters:
    ///   - hit: what an earlier stage's cache had, if that isn't from the network.
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

    /// Notes in every cache what became of a response when the server confirmed it.
    ///
    /// - Parameter isWanted: whether a cache may still keep it.
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

    /// Makes every cache compare what it has for a request with what HEAD was answered.
    ///
    /// - Parameter delay: how many seconds the answer took.
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

    /// Stores a failure in each cache that has no success in its place.
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

    /// Makes the caches of all stages forget the responses for some requests' URLs, and keep none that is on its way.
    func forgetVariants(_ requests: [URLRequest]) {
        if requests.isEmpty { return }
        let (stores, urls) = (stages.compactMap(\.store), requests.compactMap(\.url))
        CacheWipes.note(Set(stores.map(\.identity))) { url in urls.contains { url.isSameResource(as: $0) } }
        for store in stores {
            store.perform { store in for request in requests { store.removeVariants(for: request) } }
        }
    }

    /// Makes the caches of all stages forget a request's response.
    func forget(_ request: URLRequest) {
        for store in stages.lazy.compactMap(\.store) { store.perform { $0.remove(for: request) } }
    }

    /// Makes the cache of a stage forget a request's response.
    func forget(_ request: URLRequest, at stage: Int) {
        stages[stage].store?.perform { $0.remove(for: request) }
    }
}

extension VariantStore {
    /// Does work with the cache on its queue, or at once if the cache is immediate.
    func perform(_ work: @escaping @Sendable (VariantStore) -> Void) {
        if cache.isImmediate { return work(self) }
        cache.workQueue.async { work(self) }
    }
}
