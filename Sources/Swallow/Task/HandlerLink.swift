import Dispatch

/// One handler, or one `await`, in a task's chain.
// Optionals instead of enums with payloads, because a link is copied about ten times, and enums make a handler a third
// more expensive.
struct HandlerLink: Sendable {
    /// Passes the content to the handler, or returns the call that does. An error that either throws fails the chain.
    typealias SuccessHandler = @Sendable (PipelineAdapter) throws -> Delivery?
    /// Passes content that was read before to the handler. Returns new content for the handlers that follow, if any.
    typealias Delivery = @Sendable () throws -> (any Sendable)?
    /// Receives a failure. A link that recovers returns the entity for the handlers that follow.
    typealias FailureHandler = @Sendable (ServiceError) throws -> Entity<any Sendable>?
    /// Resumes the `await` that made the link, so that it advances the chain. Returns false if it doesn't wait anymore.
    typealias Turn = @Sendable () -> Bool

    /// The queue on which the handler runs, or `nil` if the link only resumes a continuation, which it may do anywhere.
    let queue: DispatchQueue?
    /// The result that must be ready before the handler runs.
    let need: PipelineAdapter.Need
    /// Whether the link has a slow reading half, which runs off the main thread before the handler runs on its queue.
    private(set) var readsFirst = false
    /// Whether the link only reports progress. A request isn't continued for this link alone.
    let onlyWatches: Bool
    /// Whether a failure that the link receives isn't reported as unhandled.
    let receivesFailure: Bool
    /// Handles a success. If it is `nil`, the link is skipped after a success.
    private(set) var onSuccess: SuccessHandler?
    /// Handles a failure, including an error of `onSuccess`. If it is `nil`, the link is skipped after a failure.
    let onFailure: FailureHandler?
    /// Identifies a link that can be removed. It is 0 for all other links.
    let ticket: HandlerChain.Ticket
    /// Resumes an `await` that reads the content itself.
    let takeTurn: Turn?

    init(
        _ queue: DispatchQueue?, _ need: PipelineAdapter.Need, readsFirst: Bool = false,
        onlyWatches: Bool = false, ticket: HandlerChain.Ticket = 0, takeTurn: Turn? = nil,
        receivesFailure: Bool = true,
        onSuccess: SuccessHandler?, onFailure: FailureHandler? = nil
    ) {
        self.queue = queue
        self.need = need
        self.readsFirst = readsFirst
        self.onlyWatches = onlyWatches
        self.receivesFailure = receivesFailure
        self.ticket = ticket
        self.takeTurn = takeTurn
        self.onSuccess = onSuccess
        self.onFailure = onFailure
    }

    /// The queue on which an app's stages run for the handler. Stages never run on the main queue or on the thread of
    /// an `await`, because they might block it.
    var workplace: DispatchQueue {
        guard takeTurn == nil, let queue, !queue.isMain else { return .workplace }
        return queue
    }

    /// Whether the result that the handler needs is prepared at this place. An `await` prepares only small content,
    /// because it can't be cancelled while it prepares.
    func prepares(_ adapter: PipelineAdapter, at place: HandlerChain.Place?) -> Bool {
        switch place {
        case nil: false
        case .queue(let queue)?: !preparesItself(adapter) && workplace.isSame(as: queue)
        case .awaiter(let ticket)?: ticket == self.ticket && preparesItself(adapter)
        }
    }

    /// Returns the step to the place where the handler's result is prepared.
    func move(toPrepare adapter: PipelineAdapter) -> HandlerChain.Step {
        if let takeTurn, preparesItself(adapter) { return .handOver(ticket, takeTurn) }
        return .hop(workplace)
    }

    private func preparesItself(_ adapter: PipelineAdapter) -> Bool { takeTurn != nil && adapter.isSmall }

    /// Returns a copy that has read the content and is ready to deliver it.
    func delivering(_ deliver: @escaping Delivery) -> HandlerLink {
        var link = self
        link.readsFirst = false
        link.onSuccess = { _ in deliver }
        return link
    }
}
