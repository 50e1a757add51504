import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What came for a request, before the pipeline has run: a response, a failure that may have one, or what a cache had.
struct Arrival: Sendable {
    /// The head; nil for a failure without a response.
    let response: HTTPURLResponse?
    /// The bytes as received.
    let data: Data
    /// Why it is no success.
    let error: ServiceError?
    let timestamp: Date
    /// Where it comes from a cache: what was there.
    let cached: CachedHit?
    /// What the caches know it by; nil keeps it away from them.
    let cacheRequest: URLRequest?

    init(response: HTTPURLResponse, data: Data, error: ServiceError? = nil, cacheRequest: URLRequest? = nil) {
        self.response = response
        self.data = data
        self.error = error
        timestamp = Date()
        cached = nil
        self.cacheRequest = cacheRequest
    }

    init(error: ServiceError) {
        response = nil
        data = Data()
        self.error = error
        timestamp = Date()
        cached = nil
        cacheRequest = nil
    }

    init(cached hit: CachedHit, for cacheRequest: URLRequest) {
        response = hit.response.response
        data = hit.response.data
        error = nil
        timestamp = hit.response.timestamp
        cached = hit
        self.cacheRequest = cacheRequest
    }

    /// The bytes with the head's fields.
    var entity: Entity<any Sendable>? {
        guard let response else { return nil }
        var entity = Entity<any Sendable>(content: data, response: response, timestamp: timestamp)
        entity.isFromCache = cached != nil
        return entity
    }
}

extension PipelinePlan {
    /// Runs the pipeline over what arrived; where a cache had the content of a stage, over the stages after it.
    func process(
        _ arrival: Arrival, observer: Observer?, didRun: (Int, PipelineOutput) -> Void = { _, _ in }
    ) -> PipelineOutput {
        if let hit = arrival.cached, let content = hit.content(for: self), let entity = arrival.entity {
            var output = PipelineOutput(
                .success(entity.withContent(content)), data: hit.response.workingData ?? arrival.data,
                json: hit.response.workingJSON, text: hit.response.workingText)
            run(&output, from: hit.stage + 1, observer: observer, didRun: didRun)
            return output
        }
        let response: Response
        if var error = arrival.error {
            error.entity = error.entity ?? arrival.entity
            response = .failure(error)
        } else if let entity = arrival.entity {
            response = .success(entity)
        } else {
            response = .failure(ServiceError(.invalidResponse))
        }
        var output = PipelineOutput(response, data: arrival.data)
        run(&output, observer: observer) { stage, output in
            // What the cache had needn't be written back to it.
            if stage > arrival.cached?.stage ?? -1 { didRun(stage, output) }
        }
        return output
    }
}
