import Dispatch

/// One handler, or one `await`, in a task's chain.
// Optionals rather than enums with payloads: a link is copied some ten times on its way, and with enums those copies
// make a handler a third more expensive.
struct HandlerLink: Sendable {
    /// Hands the content over, or returns the call that does. What either throws fails the chain.
    typealias SuccessHandler = @Sendable (PipelineAdapter) throws -> Delivery?
    /// Hands over what was read before; returns other content to go on with, if there is any.
    typealias Delivery = @Sendable () throws -> (any Sendable)?
    /// Takes a failure; a link that recovers returns the entity to go on with.
    typealias FailureHandler = @Sendable (ServiceError) throws -> Entity<any Sendable>?
    /// Resumes the `await` that made the link, to go on with the chain; false where it doesn't wait any more.
    typealias Turn = @Sendable () -> Bool

    /// Where the handler runs; nil for one that only resumes a continuation, which it may do anywhere.
    let queue: DispatchQueue?
    /// The form of the content that must be ready before the handler runs.
    let need: PipelineAdapter.Need
    /// Whether it has a slow reading half, which runs off the main thread before the handler is called on its queue.
    private(set) var readsFirst = false
    /// Whether it only reports progress: a request isn't kept running for it alone.
    let onlyWatches: Bool
    /// Whether a failure that it takes counts as received.
    let receivesFailure: Bool
    /// What it does after a success; nil passes it over.
    private(set) var onSuccess: SuccessHandler?
    /// What it does after a failure, its own included; nil passes it over.
    let onFailure: FailureHandler?
    /// Names a link that can be taken out again; 0 for one that stays until it is taken.
    let ticket: HandlerChain.Ticket
    /// Resumes an `await` that reads the content itself; nil for any other link.
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

    /// Where an app's stages run for the handler: its own queue, but never the main one, nor the thread of an `await`,
    /// which they might block.
    var workplace: DispatchQueue {
        guard takeTurn == nil, let queue, !queue.isMain else { return .workplace }
        return queue
    }

    /// Whether the content that the handler reads is to be made at this place. An `await` makes only small content
    /// itself: while it does, a cancellation can't end it at once.
    func makes(_ content: PipelineAdapter, at place: HandlerChain.Place?) -> Bool {
        switch place {
        case nil: false
        case .queue(let queue)?: !makesItself(content) && workplace.isSame(as: queue)
        case .awaiter(let ticket)?: ticket == self.ticket && makesItself(content)
        }
    }

    /// The step to the place where the handler's content is made.
    func move(for content: PipelineAdapter) -> HandlerChain.Step {
        if let takeTurn, makesItself(content) { return .handOver(ticket, takeTurn) }
        return .hop(workplace)
    }

    private func makesItself(_ content: PipelineAdapter) -> Bool { takeTurn != nil && content.isSmall }

    /// The same link after it has read the content, ready to deliver.
    func delivering(_ deliver: @escaping Delivery) -> HandlerLink {
        var link = self
        link.readsFirst = false
        link.onSuccess = { _ in deliver }
        return link
    }
}
