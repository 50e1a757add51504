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

    var response: ReceivedResponse {
        ReceivedResponse(
            head: ResponseHead(cached.response), data: cached.data, timestamp: cached.timestamp,
            origin: isConfirmed ? .revalidated : .cache)
    }
}

extension PipelinePlan {
    /// Looks for a request's response in the caches of the stages before one, the last of these first.
    ///
    /// - Parameters:
    ///   - missed: is told of each stage whose cache doesn't have it.
    ///   - completion: gets what was found; on a cache's queue, or at once.
    func read(
        _ request: URLRequest, before end: Int, missed: @escaping @Sendable (Stage) -> Void,
        _ completion: @escaping @Sendable (CachedHit?) -> Void
    ) {
        guard let index = stages[..<min(end, stages.endIndex)].lastIndex(where: { $0.store != nil }),
            let store = stages[index].store
        else { return completion(nil) }
        store.perform { store in
            if let cached = store.read(for: request) {
                completion(CachedHit(stage: index, cached: cached))
            } else {
                missed(self.stages[index])
                self.read(request, before: index, missed: missed, completion)
            }
        }
    }

    /// Whether nothing is left to run over a hit.
    func isComplete(_ hit: CachedHit) -> Bool {
        hit.cached.contentOrigin === origin && hit.cached.content != nil
            && hit.stage == stages.index(before: stages.endIndex)
    }

    /// Runs the stages over what a cache had: over the stage's content, if this pipeline made it, else over the bytes.
    func run(
        _ hit: CachedHit, observer: Observer?, didRun: ((Int, PipelineOutput) -> Void)?
    ) -> PipelineOutput {
        let cached = hit.cached
        guard cached.contentOrigin === origin, let content = cached.content else {
            return run(PipelineInput(hit.response), observer: observer, didRun: didRun)
        }
        var output = PipelineOutput(
            .success(hit.response.entity.withContent(content)), data: cached.workingData ?? cached.data,
            json: cached.workingJSON, text: cached.workingText)
        run(&output, from: hit.stage + 1, observer: observer, didRun: didRun)
        return output
    }

    /// What the cache of a stage is to keep of a response that came from the network.
    ///
    /// - Parameter output: what came out of the stage.
    func entry(
        for request: URLRequest, _ response: ReceivedResponse, _ output: PipelineOutput
    ) -> CachedResponse? {
        guard case .success(let entity) = output.response else { return nil }
        var entry = CachedResponse(
            response: response.head, data: response.data, content: entity.content,
            timestamp: response.timestamp, for: request)
        entry.contentOrigin = origin
        entry.workingData = output.data
        entry.workingJSON = output.json
        entry.workingText = output.text
        return entry
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

    /// Has the caches of all stages forget the responses for a request's URL.
    func forgetVariants(_ request: URLRequest) {
        for store in stages.lazy.compactMap(\.store) {
            store.perform { $0.removeVariants(for: request) }
        }
    }

    /// Has the cache of a stage forget a request's response.
    func forget(_ request: URLRequest, at stage: Int) {
        stages[stage].store?.perform { $0.remove(for: request) }
    }
}

extension VariantStore {
    /// Does work with the cache where it is to be done.
    func perform(_ work: @escaping @Sendable (VariantStore) -> Void) {
        if cache.isImmediate { return work(self) }
        cache.workQueue.async { work(self) }
    }
}
