/// The outcome of a task that its remaining handlers receive. Each handler may change it for the handlers that follow.
enum HandlerOutcome: Sendable {
    case pending
    /// The transfer is complete, and the pipeline must run.
    case received(PipelineAdapter)
    case success(PipelineAdapter)
    case failure(Failure)

    struct Failure: Sendable {
        var error: ServiceError
        /// The body of the failure, until it is parsed and stored in the error.
        var body: PipelineAdapter?
        /// Whether a handler or an `await` received the failure.
        var isReceived = false
    }

    var isCancelled: Bool {
        if case .failure(let failure) = self { failure.error.isCancelled } else { false }
    }

    /// A failure that no handler received. A cancellation doesn't count.
    var unreceivedFailure: ServiceError? {
        guard case .failure(var failure) = self, !failure.isReceived, !failure.error.isCancelled else {
            return nil
        }
        if let body = failure.body { failure.error.entity = body.rawEntity }
        return failure.error
    }
}

extension HandlerOutcome {
    /// Sets the outcome to the transfer's result. Returns `false` if there is an outcome already.
    ///
    /// The pipeline of a cancelled task doesn't run.
    @discardableResult
    mutating func completeTransfer(with adapter: PipelineAdapter) -> Bool {
        guard case .pending = self else { return false }
        if adapter.isPipelineDue, !(adapter.error?.isCancelled ?? false) {
            self = .received(adapter)
        } else if let error = adapter.error {
            self = .failure(Failure(error: error, body: adapter.response.map { _ in adapter }))
        } else {
            self = .success(adapter)
        }
        return true
    }

    /// Sets the outcome to the pipeline's result, unless the task has failed since.
    mutating func finishPipeline(with result: Result<PipelineAdapter, ServiceError>) {
        guard case .received = self else { return }
        switch result {
        case .success(let adapter): self = .success(adapter)
        case .failure(let error): self = .failure(Failure(error: error))
        }
    }

    /// Replaces the adapter by a copy with another result or other content, unless the task has failed since.
    mutating func replaceAdapter(with adapter: PipelineAdapter) {
        if case .success = self { self = .success(adapter) }
    }

    /// Stores the parsed body of a failure, unless another failure has replaced it.
    mutating func finishReadingErrorBody(_ entity: Entity<any Sendable>?) {
        guard case .failure(var failure) = self, failure.body != nil else { return }
        failure.error.entity = failure.error.entity ?? entity
        failure.body = nil
        self = .failure(failure)
    }

    /// Replaces any outcome by a failure. The failure keeps the earlier response, except after a cancellation.
    mutating func fail(with error: ServiceError) {
        var failure = Failure(error: error)
        switch self {
        case _ where error.isCancelled: break
        case .success(let adapter): failure.keepResponse(of: adapter)
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

    /// Sets the error that a success handler threw, unless the task has failed since the handler started.
    mutating func failHandler(with error: ServiceError, isReceived: Bool) {
        guard case .success(let adapter) = self else { return }
        var failure = Failure(error: error, isReceived: isReceived)
        failure.keepResponse(of: adapter)
        self = .failure(failure)
    }

    /// Replaces a failure by the content that a handler returned, unless there is a new failure.
    mutating func recover(with adapter: PipelineAdapter) {
        if case .failure(let failure) = self, failure.isReceived { self = .success(adapter) }
    }

    /// Replaces a failure by the error that its handler threw, unless there is a new failure.
    mutating func failRecovering(with error: ServiceError) {
        if case .failure(let failure) = self, failure.isReceived { fail(with: error) }
    }
}

extension HandlerOutcome.Failure {
    fileprivate mutating func keepResponse(of adapter: PipelineAdapter) {
        error.response = error.response ?? adapter.head
        if error.entity == nil { body = adapter }
    }
}
