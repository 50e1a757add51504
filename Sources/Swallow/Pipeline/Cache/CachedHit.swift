import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A response that the cache of a stage had.
struct CachedHit: Sendable {
    /// The stage's place in the plan.
    let stage: Int
    var response: CachedResponse

    /// The stage's content, if this pipeline made it; otherwise the stages run again over the bytes.
    func content(for plan: PipelinePlan) -> (any Sendable)? {
        response.contentOrigin === plan.origin ? response.content : nil
    }
}

extension PipelinePlan {
    /// Looks for a request's response in the stages' caches, the last stage first.
    ///
    /// - Parameters:
    ///   - missed: is told of each stage whose cache doesn't have it.
    ///   - completion: gets what was found; on a cache's queue, or at once.
    func read(
        _ request: URLRequest, missed: @escaping @Sendable (Stage) -> Void,
        _ completion: @escaping @Sendable (CachedHit?) -> Void
    ) {
        read(request, before: stages.endIndex, missed: missed, completion)
    }

    private func read(
        _ request: URLRequest, before end: Int, missed: @escaping @Sendable (Stage) -> Void,
        _ completion: @escaping @Sendable (CachedHit?) -> Void
    ) {
        guard let index = stages[..<end].lastIndex(where: { $0.store != nil }),
            let store = stages[index].store
        else { return completion(nil) }
        store.perform { store in
            if let response = store.read(for: request) {
                completion(CachedHit(stage: index, response: response))
            } else {
                missed(self.stages[index])
                self.read(request, before: index, missed: missed, completion)
            }
        }
    }

    /// Notes in every cache that the server has confirmed a response.
    func confirm(_ response: HTTPURLResponse, for request: URLRequest, at timestamp: Date) {
        for store in stages.lazy.compactMap(\.store) {
            store.perform { $0.confirm(response, at: timestamp, for: request) }
        }
    }

    /// Has every cache forget a request's response.
    func forget(_ request: URLRequest) {
        for store in stages.lazy.compactMap(\.store) {
            store.perform { $0.remove(for: request) }
        }
    }

    /// What the cache of a stage is to keep of a response that came from the network.
    ///
    /// - Parameter output: what came out of the stage.
    func entry(
        for request: URLRequest, _ response: HTTPURLResponse, _ data: Data, at timestamp: Date,
        _ output: PipelineOutput
    ) -> CachedResponse? {
        guard case .success(let entity) = output.response else { return nil }
        var entry = CachedResponse(
            response: response, data: data, content: entity.content, timestamp: timestamp, for: request)
        entry.contentOrigin = origin
        entry.workingData = output.data
        entry.workingJSON = output.json
        entry.workingText = output.text
        return entry
    }
}

extension VariantStore {
    /// Does work with the cache where it is to be done.
    func perform(_ work: @escaping @Sendable (VariantStore) -> Void) {
        if cache.isImmediate { return work(self) }
        cache.workQueue.async { work(self) }
    }
}
