import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension ServiceTask {
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

    /// A cache that was wiped after the request started may not store the response.
    func mayKeep(
        _ caching: RequestCaching, _ urlRequest: URLRequest
    ) -> @Sendable (VariantStore) -> Bool {
        { [url = urlRequest.url, latestWipe = caching.latestWipe] store in
            CacheWipes.allow(url, in: store.identity, since: latestWipe)
        }
    }

    func completed(_ error: ServiceError, _ response: ReceivedResponse?) -> ServiceError {
        var error = error.after(core.withLock { $0.exchange.attempt.sent })
        error.request = error.request ?? request
        error.response = error.response ?? response?.head
        error.entity = error.entity ?? response?.entity
        return error
    }

    var requestToKeep: URLRequest? {
        plan.hasCaches ? core.withLock { $0.extras?.caching?.requestToKeep } : nil
    }

    var observer: PipelinePlan.Observer? {
        guard let log else { return nil }
        return { stage, transformer, duration, output in
            log.ran(transformer, in: stage, for: duration, output)
        }
    }
}

extension PipelineAdapter {
    /// Only a complete body can be stored, so neither a 206 nor a 304 (RFC 9111 §3).
    fileprivate var isCacheable: Bool {
        guard error == nil, let response else { return false }
        return response.head.statusCode != 206 && response.head.statusCode != 304
    }
}
