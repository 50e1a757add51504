import Dispatch

/// A task's handlers and their outcome. The chain decides each step under the task's lock, and the task performs it.
struct HandlerChain: Sendable {
    enum Step {
        case idle
        case move(to: DispatchQueue)
        case handOver(Ticket, HandlerLink.Turn)
        case skip(HandlerLink?)
        case runPipeline(PipelineAdapter)
        case prepare(PipelineAdapter, PipelineAdapter.Need)
        /// Read the value for the next handler, off the main thread. The handler itself then runs on its own queue.
        case read(HandlerLink.SuccessHandler, PipelineAdapter)
        case succeed(HandlerLink, PipelineAdapter)
        case readErrorBody(PipelineAdapter)
        case fail(HandlerLink.FailureHandler, ServiceError)
    }

    enum Place {
        case queue(DispatchQueue)
        /// The thread of the `await` with this ticket, or a worker in its place. It may also parse and decode.
        case awaiter(Ticket)

        var queue: DispatchQueue? { if case .queue(let queue) = self { queue } else { nil } }
    }

    typealias Ticket = Int

    var outcome = HandlerOutcome.pending
    private var links: [HandlerLink?] = []
    private var nextIndex = 0
    private var lastTicket = 0
    private var isAdvancing = false
    private var hasTakenLink = false

    private var first: HandlerLink? {
        nextIndex < links.count ? links[nextIndex] : nil
    }

    var isEmpty: Bool { nextIndex == links.count }

    var isUnwanted: Bool { links[nextIndex...].allSatisfy { $0?.onlyWatches ?? true } }

    /// Whether the outcome is known and all attached handlers have run or were skipped. `false` if there were none.
    var isFinished: Bool {
        switch outcome {
        case .pending, .received: false
        case .success, .failure: hasTakenLink && isEmpty && !isAdvancing
        }
    }
}

extension HandlerChain {
    mutating func nextTicket() -> Ticket {
        lastTicket += 1
        return lastTicket
    }

    mutating func attach(_ link: HandlerLink) {
        links.append(link)
    }

    mutating func detach(_ ticket: Ticket) -> HandlerLink? {
        guard let index = links.firstIndex(where: { $0?.ticket == ticket }) else { return nil }
        return links.remove(at: index)
    }

    mutating func finishReading(_ deliver: @escaping HandlerLink.Delivery) {
        guard case .success = outcome, let link = first else { return }
        links[nextIndex] = link.delivering(deliver)
    }

    @discardableResult
    private mutating func takeFirst() -> HandlerLink? {
        guard nextIndex < links.count else { return nil }
        let link = links[nextIndex].take()
        nextIndex += 1
        hasTakenLink = true
        if isEmpty {
            links = []
            nextIndex = 0
        }
        return link
    }
}

extension HandlerChain {
    /// Returns `.idle` if a thread already advances the chain, or if there is nothing to do yet.
    mutating func firstStep(on place: Place?) -> Step {
        guard canAdvance else { return .idle }
        isAdvancing = true
        return nextStep(on: place)
    }

    /// Reserves the chain for a thread that advances it later. Call this when the outcome has just arrived.
    mutating func takeTurn() { isAdvancing = true }

    var canAdvance: Bool {
        if isAdvancing { return false }
        return switch outcome {
        case .pending: false
        case .received: true
        case .success, .failure: !isEmpty
        }
    }

    /// Whether the next link receives a success on a queue, or is the last link and only resumes an `await`.
    var takesSuccess: Bool {
        guard let first, first.onSuccess != nil else { return false }
        return first.queue != nil || nextIndex == links.count - 1
    }

    var parsingQueue: DispatchQueue { first?.parsingQueue ?? .parsing }

    mutating func nextStep(on place: Place?) -> Step {
        if case .received(let adapter) = outcome {
            let queue = parsingQueue
            return queue.isSame(as: place?.queue) ? .runPipeline(adapter) : .move(to: queue)
        }
        guard let link = first else {
            isAdvancing = false
            return .idle
        }
        switch outcome {
        case .pending, .received:
            isAdvancing = false
            return .idle
        case .success(let adapter): return successStep(adapter, for: link, on: place)
        case .failure(let failure): return failureStep(failure, for: link, on: place)
        }
    }

    private mutating func successStep(
        _ adapter: PipelineAdapter, for link: HandlerLink, on place: Place?
    ) -> Step {
        guard let read = link.onSuccess else { return .skip(takeFirst()) }
        if !adapter.has(link.need) || link.readsFirst {
            let need = adapter.has(link.need) ? nil : link.need
            guard link.prepares(adapter, at: place) else { return link.move(toPrepare: adapter) }
            return need.map { .prepare(adapter, $0) } ?? .read(read, adapter)
        }
        if let queue = link.queue {
            if link.takeTurn != nil {
                if !link.prepares(adapter, at: place) { return link.move(toPrepare: adapter) }
            } else if !queue.isSame(as: place?.queue) {
                return .move(to: queue)
            }
        }
        takeFirst()
        return .succeed(link, adapter)
    }

    private mutating func failureStep(
        _ failure: HandlerOutcome.Failure, for link: HandlerLink, on place: Place?
    ) -> Step {
        guard let handle = link.onFailure else { return .skip(takeFirst()) }
        if let body = failure.body {
            return link.prepares(body, at: place) ? .readErrorBody(body) : link.move(toPrepare: body)
        }
        // With `takeTurn`, a failure only resumes an `await`, which is possible on any queue.
        if link.takeTurn == nil, let queue = link.queue, !queue.isSame(as: place?.queue) {
            return .move(to: queue)
        }
        var received = failure
        if link.receivesFailure { received.isReceived = true }
        outcome = .failure(received)
        takeFirst()
        return .fail(handle, failure.error)
    }
}

// With enums instead of these optionals, a handler is a third more expensive, because links are copied often.
struct HandlerLink: Sendable {
    /// Calls the handler with a value from the adapter, or returns the closure that does. An error fails the chain.
    typealias SuccessHandler = @Sendable (PipelineAdapter) throws -> Delivery?
    /// Calls the handler with a value that was read before. May return new content for the next handlers.
    typealias Delivery = @Sendable () throws -> (any Sendable)?
    /// Receives a failure. A link that recovers returns the entity for the next handlers.
    typealias FailureHandler = @Sendable (ServiceError) throws -> Entity<any Sendable>?
    /// Resumes the link's `await`, which then advances the chain. Returns `false` if the `await` no longer waits.
    typealias Turn = @Sendable () -> Bool

    /// `nil` if the link only resumes a continuation, which is possible on any queue.
    let queue: DispatchQueue?
    let need: PipelineAdapter.Need
    /// Whether `onSuccess` only reads the value, off the main thread, and returns the closure that calls the handler.
    private(set) var readsFirst = false
    let onlyWatches: Bool
    let receivesFailure: Bool
    private(set) var onSuccess: SuccessHandler?
    let onFailure: FailureHandler?
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

    /// The queue on which the response is parsed, unless an `await` parses it. Never the main queue.
    var parsingQueue: DispatchQueue {
        guard takeTurn == nil, let queue, !queue.isMain else { return .parsing }
        return queue
    }

    /// An `await` parses only a small body, because it can't be cancelled while it parses.
    func prepares(_ adapter: PipelineAdapter, at place: HandlerChain.Place?) -> Bool {
        switch place {
        case nil: false
        case .queue(let queue)?: !preparesItself(adapter) && parsingQueue.isSame(as: queue)
        case .awaiter(let ticket)?: ticket == self.ticket && preparesItself(adapter)
        }
    }

    func move(toPrepare adapter: PipelineAdapter) -> HandlerChain.Step {
        if let takeTurn, preparesItself(adapter) { return .handOver(ticket, takeTurn) }
        return .move(to: parsingQueue)
    }

    private func preparesItself(_ adapter: PipelineAdapter) -> Bool { takeTurn != nil && adapter.isSmall }

    func delivering(_ deliver: @escaping Delivery) -> HandlerLink {
        var link = self
        link.readsFirst = false
        link.onSuccess = { _ in deliver }
        return link
    }
}
