import Foundation

extension ServiceTask {
    func runPipeline(_ adapter: PipelineAdapter) -> Result<PipelineAdapter, ServiceError> {
        let start = adapter.unprocessedResults
        let results =
            if let caching, caching.storesResponse, let response = adapter.response {
                storingResults(of: response, caching) { plan.run(start, observer: observer, didRun: $0) }
            } else {
                plan.run(start, observer: observer)
            }
        guard case .success(let entity)? = results.output else {
            let error = describing(results.failure ?? ServiceError(.invalidResponse), adapter.response)
            log?.failed(error)
            return .failure(error)
        }
        return .success(
            adapter.response.map { PipelineAdapter(.received($0), plan, results) }
                ?? self.adapter(recovered: entity))
    }

    func storingResults(
        of response: ReceivedResponse, _ caching: TaskCaching?, after stored: StoredResponse? = nil,
        _ run: (((Int, PipelineResults) -> Void)?) -> PipelineResults
    ) -> PipelineResults {
        guard let caching, let urlRequest = caching.storageRequest else { return run(nil) }
        var entries: [(PipelinePlan.Stage, CachedResponse)] = []
        let results = run { [plan] index, results in
            guard index > stored?.stage ?? -1, plan.stages[index].store != nil,
                let entry = plan.entry(for: urlRequest, sentAt: caching.sent, response, stored, results)
            else { return }
            entries.append((plan.stages[index], entry))
        }
        if results.failure != nil { return results }
        // The response of a cancelled task isn't stored.
        if core.withLock({ $0.chain.outcome.isCancelled }) { return results }
        for (stage, entry) in entries {
            guard let store = stage.store, store.isCurrent(caching.epoch, for: urlRequest) else { continue }
            log?.wrote(stage.name)
            store.perform { $0.write(entry, for: urlRequest, since: caching.epoch) }
        }
        return results
    }

    func describing(_ error: ServiceError, _ response: ReceivedResponse?) -> ServiceError {
        var error = error.after(core.withLock { $0.exchange.attempt.sent })
        error.request = error.request ?? request
        error.response = error.response ?? response?.head
        error.entity = error.entity ?? response?.entity
        return error
    }

    var caching: TaskCaching? { plan.hasCaches ? core.withLock { $0.rareState?.caching } : nil }

    var storageRequest: URLRequest? {
        plan.hasCaches ? core.withLock { $0.rareState?.caching?.storageRequest } : nil
    }

    var observer: PipelinePlan.Observer? {
        guard let log else { return nil }
        return { stage, transformer, duration, output in
            log.ran(transformer, in: stage, for: duration, output)
        }
    }
}
