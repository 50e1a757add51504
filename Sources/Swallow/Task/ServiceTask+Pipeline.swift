import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The side of the pipeline.
extension ServiceTask {
    /// Runs the pipeline over what arrived, and has the stages' caches keep what came from the network.
    func process(_ arrival: Arrival) -> Result<ContentAdapter, ServiceError> {
        var writes: [(PipelinePlan.Stage, CachedResponse)] = []
        let urlRequest = arrival.cacheRequest
        let output = plan.process(arrival, observer: observer) { index, output in
            let stage = plan.stages[index]
            guard let urlRequest, stage.store != nil, arrival.isCacheable, let response = arrival.response,
                let entry = plan.entry(for: urlRequest, response, arrival.data, at: arrival.timestamp, output)
            else { return }
            writes.append((stage, entry))
        }
        guard case .success(let entity) = output.response else {
            // What the stages don't take any more, after an update of the app, say, is to be asked for again.
            if let urlRequest, arrival.cached != nil { plan.forget(urlRequest) }
            return .failure(failure(of: output, arrival))
        }
        if let urlRequest { write(writes, for: urlRequest) }
        guard let response = arrival.response else {
            return .success(ContentAdapter(recovered: entity, url: URL(string: request.urlString)))
        }
        return .success(
            ContentAdapter(
                response: response, data: arrival.data, timestamp: arrival.timestamp, entity, output))
    }

    private func failure(of output: PipelineOutput, _ arrival: Arrival) -> ServiceError {
        guard case .failure(var error) = output.response else { return ServiceError(.invalidResponse) }
        error.request = error.request ?? request
        error.response = error.response ?? arrival.response
        log?.failed(error)
        return error
    }

    private var observer: PipelinePlan.Observer? {
        guard let log else { return nil }
        return { stage, transformer, duration, output in
            log.ran(transformer, in: stage, for: duration, output)
        }
    }

    private func write(_ writes: [(PipelinePlan.Stage, CachedResponse)], for urlRequest: URLRequest) {
        for (stage, entry) in writes {
            log?.wrote(stage.name)
            stage.store?.perform { $0.write(entry, for: urlRequest) }
        }
    }
}

extension Arrival {
    /// Whether the response is one to keep: a success with a whole body, so no 206 and no 304 (RFC 9111 §3).
    fileprivate var isCacheable: Bool {
        guard error == nil, let response else { return false }
        return response.statusCode != 206 && response.statusCode != 304
    }
}
