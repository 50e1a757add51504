import Foundation

extension PipelinePlan {
    /// Reads a request's response from the caches before `end`, the last one first. `leaving` is called before the
    /// search leaves the calling thread. `isHere` is whether `completion` runs on the calling thread.
    func read(
        _ request: URLRequest, before end: Int, isHere: Bool = true,
        missed: @escaping @Sendable (Stage) -> Void, leaving: @escaping @Sendable () -> Void,
        _ completion: @escaping @Sendable ((stage: Int, cached: CachedResponse)?, _ isHere: Bool) -> Void
    ) {
        guard let index = stages[..<min(end, stages.endIndex)].lastIndex(where: { $0.store != nil }),
            let store = stages[index].store
        else { return completion(nil, isHere) }
        let staysHere = isHere && store.cache.isImmediate
        if isHere, !staysHere { leaving() }
        store.perform { store in
            if let cached = store.read(for: request) {
                completion((index, cached), staysHere)
            } else {
                missed(self.stages[index])
                self.read(
                    request, before: index, isHere: staysHere, missed: missed, leaving: leaving, completion)
            }
        }
    }

    func isComplete(_ stored: StoredResponse) -> Bool { stage(toRun: stored) == stages.endIndex }

    /// Whether a stored response is small, only standard parsers remain, and no later stage has a cache to store it in.
    func isQuick(_ stored: StoredResponse) -> Bool {
        ReceivedResponse.isSmall(stored.cached.data)
            && stages.dropFirst(stored.stage + 1).allSatisfy { $0.store == nil }
            && stages.dropFirst(stage(toRun: stored)).allSatisfy { stage in
                stage.transformers.allSatisfy { $0 is StandardTransformer }
            }
    }

    /// Returns the first stage to run, which is 0 unless this pipeline made the stored content.
    private func stage(toRun stored: StoredResponse) -> Int {
        stored.cached.contentOrigin === origin && stored.cached.content != nil ? stored.stage + 1 : 0
    }

    func runRemainingStages(
        for stored: StoredResponse, observer: Observer?, didRun: ((Int, PipelineResults) -> Void)?
    ) -> PipelineResults {
        let cached = stored.cached
        guard cached.contentOrigin === origin, let content = cached.content else {
            let start = PipelineResults(.success(stored.response.entity), data: cached.data)
            return run(start, observer: observer, didRun: didRun)
        }
        let results = PipelineResults(
            .success(stored.response.entity.withContent(content)), data: cached.workingData ?? cached.data,
            json: cached.workingJSON, text: cached.workingText)
        return run(results, from: stored.stage + 1, observer: observer, didRun: didRun)
    }

    /// Returns the response that a stage's cache stores, or `nil` after a failure. `stored` is the response of an
    /// earlier stage's cache, or `nil` if the response is from the network.
    func entry(
        for request: URLRequest, sentAt requestTimestamp: Date?, _ response: ReceivedResponse,
        _ stored: StoredResponse?, _ results: PipelineResults
    ) -> CachedResponse? {
        guard case .success(let entity)? = results.output else { return nil }
        var entry =
            stored?.cached
            ?? CachedResponse(
                response: response.head, data: response.data, timestamp: response.timestamp,
                requestTimestamp: requestTimestamp, for: request
            ).withoutConnectionFields()
        entry.content = entity.content
        entry.contentOrigin = origin
        entry.workingData = results.data
        entry.workingJSON = try? results.json?.get()
        entry.workingText = try? results.text?.get()
        return entry
    }

    func apply(_ change: CacheChange, since epoch: Int) {
        let stores = stages.compactMap(\.store)
        // A response that is still arriving may be outdated. The new epoch keeps the caches from storing it.
        if case .invalidate(let requests) = change {
            CacheEpochs.begin(stores.map(\.identity), for: requests.compactMap(\.url))
        }
        for store in stores { store.perform { $0.apply(change, since: epoch) } }
    }
}

enum CacheChange: Sendable {
    case confirm(HTTPURLResponse, as: CachedResponse, for: URLRequest)
    case compare(ReceivedResponse, after: TimeInterval, for: URLRequest)
    /// Store a failure, unless a success with one of these statuses is stored. With `nil`, replace any stored success.
    case storeFailure(CachedResponse, unlessReplacing: StatusCodes?, for: URLRequest)
    case remove(URLRequest)
    case invalidate([URLRequest])
}

extension VariantStore {
    fileprivate func apply(_ change: CacheChange, since epoch: Int) {
        switch change {
        case .confirm(let response, let confirmed, let request):
            confirm(response, as: confirmed, for: request, since: epoch)
        case .compare(let head, let delay, let request):
            compare(head.head, at: head.timestamp, after: delay, for: request, since: epoch)
        case .storeFailure(let failure, let successes, let request):
            writeFailure(failure, for: request, unlessReplacing: successes, since: epoch)
        case .remove(let request): remove(for: request)
        case .invalidate(let requests): for request in requests { removeVariants(for: request) }
        }
    }

    func perform(_ work: @escaping @Sendable (VariantStore) -> Void) {
        if cache.isImmediate { return work(self) }
        cache.workQueue.async { work(self) }
    }
}
