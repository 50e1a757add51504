import Dispatch

// With enums instead of these optionals, a handler is a third more expensive, because links are copied often.
struct HandlerLink: Sendable {
    /// Passes the content to the handler, or returns the closure that does. Both may throw, which fails the chain.
    typealias SuccessHandler = @Sendable (PipelineAdapter) throws -> Delivery?
    /// Passes content that was read before to the handler. May return new content for the next handlers.
    typealias Delivery = @Sendable () throws -> (any Sendable)?
    /// Receives a failure. A link that recovers returns the entity for the next handlers.
    typealias FailureHandler = @Sendable (ServiceError) throws -> Entity<any Sendable>?
    /// Resumes the link's `await`, which then advances the chain. Returns `false` if the `await` no longer waits.
    typealias Turn = @Sendable () -> Bool

    /// `nil` if the link only resumes a continuation, which is possible on any queue.
    let queue: DispatchQueue?
    let need: PipelineAdapter.Need
    /// Whether the first half of the handler runs off the main thread, because reading is slow.
    private(set) var readsFirst = false
    let onlyWatches: Bool
    let receivesFailure: Bool
    private(set) var onSuccess: SuccessHandler?
    /// Also receives an error of `onSuccess`.
    let onFailure: FailureHandler?
    /// 0 if the link can't be removed.
    let ticket: HandlerChain.Ticket
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

    /// An app's stages never run on the main queue or on the thread of an `await`, because they might block it.
    var workplace: DispatchQueue {
        guard takeTurn == nil, let queue, !queue.isMain else { return .workplace }
        return queue
    }

    /// An `await` prepares only small content, because it can't be cancelled while it prepares.
    func prepares(_ adapter: PipelineAdapter, at place: HandlerChain.Place?) -> Bool {
        switch place {
        case nil: false
        case .queue(let queue)?: !preparesItself(adapter) && workplace.isSame(as: queue)
        case .awaiter(let ticket)?: ticket == self.ticket && preparesItself(adapter)
        }
    }

    func move(toPrepare adapter: PipelineAdapter) -> HandlerChain.Step {
        if let takeTurn, preparesItself(adapter) { return .handOver(ticket, takeTurn) }
        return .move(to: workplace)
    }

    private func preparesItself(_ adapter: PipelineAdapter) -> Bool { takeTurn != nil && adapter.isSmall }

    func delivering(_ deliver: @escaping Delivery) -> HandlerLink {
        var link = self
        link.readsFirst = false
        link.onSuccess = { _ in deliver }
        return link
    }
}
