import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Runs the pipeline, and stores the results of its stages in their caches.
extension ServiceTask {
    /// Runs the pipeline over the transfer's result.
    func runPipeline(_ adapter: PipelineAdapter) -> Result<PipelineAdapter, ServiceError> {
        let start = adapter.unprocessedResults
        let results =
            if plan.hasCaches, let response = adapter.response, adapter.isCacheable {
                storingResults(of: response) { plan.run(start, observer: observer, didRun: $0) }
            } else {
                plan.run(start, observer: observer)
            }
        guard case .success(let entity)? = results.output else {
            let error = completed(results.failure ?? ServiceError(.invalidResponse), adapter.response)
            log?.failed(error)
            return .failure(error)
        }
        return .success(
            adapter.response.map { PipelineAdapter(.received($0), plan, results) }
                ?? self.adapter(recovered: entity))
    }

    /// Runs stages. After a success, stores their results in the caches of the stages that follow the hit's stage.
    func storingResults(
        of response: ReceivedResponse, after hit: CachedHit? = nil,
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
        // A later cancellation doesn't matter, because a handler may cancel the task after it has received its content.
        if core.withLock({ $0.chain.outcome.isCancelled }) { return results }
        let mayKeep = mayKeep(caching, urlRequest)
        for (stage, entry) in entries {
            guard let store = stage.store, mayKeep(store) else { continue }
            log?.wrote(stage.name)
            store.perform { store in store.write(entry, for: urlRequest) { mayKeep(store) } }
        }
        return results
    }

    /// Whether a cache may store the response. It may not if it was wiped after the request started.
    func mayKeep(
        _ caching: RequestCaching, _ urlRequest: URLRequest
    ) -> @Sendable (VariantStore) -> Bool {
        { [url = urlRequest.url, latestWipe = caching.latestWipe] store in
            CacheWipes.allow(url, in: store.identity, since: latestWipe)
        }
    }

    /// Adds the request, the response and the number of attempts to an error of the pipeline.
    func completed(_ error: ServiceError, _ response: ReceivedResponse?) -> ServiceError {
        var error = error.after(core.withLock { $0.exchange.attempt.sent })
        error.request = error.request ?? request
        error.response = error.response ?? response?.head
        error.entity = error.entity ?? response?.entity
        return error
    }

    /// The request under which caches store the response, or `nil` if they don't.
    var requestToKeep: URLRequest? {
        plan.hasCaches ? core.withLock { $0.extras?.caching?.requestToKeep } : nil
    }

    /// Logs each transformer.
    var observer: PipelinePlan.Observer? {
        guard let log else { return nil }
        return { stage, transformer, duration, output in
            log.ran(transformer, in: stage, for: duration, output)
        }
    }
}

extension PipelineAdapter {
    /// Whether caches may store the response. It must be a success with a complete body, so neither a 206 nor a 304
    /// (RFC 9111 §3).
    fileprivate var isCacheable: Bool {
        guard error == nil, let response else { return false }
        return response.head.statusCode != 206 && response.head.statusCode != 304
    }
}
