enum HandlerOutcome: Sendable {
    case pending
    case received(PipelineAdapter)
    case success(PipelineAdapter)
    case failure(Failure)

    struct Failure: Sendable {
        var error: ServiceError
        var body: PipelineAdapter?
        var isReceived = false
    }

    var isPending: Bool { if case .pending = self { true } else { false } }

    var isCancelled: Bool {
        if case .failure(let failure) = self { failure.error.isCancelled } else { false }
    }

    var unreceivedFailure: ServiceError? {
        guard case .failure(var failure) = self, !failure.isReceived, !failure.error.isCancelled else {
            return nil
        }
        if let body = failure.body { failure.error.entity = body.rawEntity }
        return failure.error
    }
}

extension HandlerOutcome {
    /// Returns `false` if there is an outcome already. The pipeline of a cancelled task doesn't run.
    @discardableResult
    mutating func complete(with adapter: PipelineAdapter) -> Bool {
        guard case .pending = self else { return false }
        if adapter.needsPipeline, !(adapter.error?.isCancelled ?? false) {
            self = .received(adapter)
        } else if let error = adapter.error {
            self = .failure(Failure(error: error, body: adapter.response.map { _ in adapter }))
        } else {
            self = .success(adapter)
        }
        return true
    }

    mutating func finishPipeline(with result: Result<PipelineAdapter, ServiceError>) {
        guard case .received = self else { return }
        switch result {
        case .success(let adapter): self = .success(adapter)
        case .failure(let error): self = .failure(Failure(error: error))
        }
    }

    mutating func replaceAdapter(with adapter: PipelineAdapter) {
        if case .success = self { self = .success(adapter) }
    }

    mutating func finishReadingErrorBody(_ entity: Entity<any Sendable>?) {
        guard case .failure(var failure) = self, failure.body != nil else { return }
        failure.error.entity = failure.error.entity ?? entity
        failure.body = nil
        self = .failure(failure)
    }

    /// Replaces the outcome with a failure. Adds the earlier response if `error` has none and isn't a cancellation.
    mutating func fail(with error: ServiceError) {
        var failure = Failure(error: error)
        switch self {
        case _ where error.isCancelled: break
        case .success(let adapter): failure.addResponse(of: adapter)
        case .failure(let previous):
            failure.error.response = error.response ?? previous.error.response
            failure.error.entity = error.entity ?? previous.error.entity
            failure.body = error.entity == nil ? previous.body : nil
        case .received(let adapter):
            failure.error.response = error.response ?? adapter.head
            failure.error.entity = error.entity ?? adapter.response?.entity
        case .pending: break
        }
        self = .failure(failure)
    }

    mutating func failHandler(with error: ServiceError, isReceived: Bool) {
        guard case .success(let adapter) = self else { return }
        var failure = Failure(error: error, isReceived: isReceived)
        failure.addResponse(of: adapter)
        self = .failure(failure)
    }

    /// Does nothing if the chain has failed again since the handler received the failure.
    mutating func recover(with adapter: PipelineAdapter) {
        if case .failure(let failure) = self, failure.isReceived { self = .success(adapter) }
    }

    mutating func failRecovering(with error: ServiceError) {
        if case .failure(let failure) = self, failure.isReceived { fail(with: error) }
    }
}

extension HandlerOutcome.Failure {
    fileprivate mutating func addResponse(of adapter: PipelineAdapter) {
        error.response = error.response ?? adapter.head
        if error.entity == nil { body = adapter }
    }
}
