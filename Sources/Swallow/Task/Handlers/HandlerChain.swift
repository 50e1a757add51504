import Dispatch

/// A task's handlers and their outcome. The chain decides each step under the task's lock, and the task performs it.
struct HandlerChain: Sendable {
    enum Step {
        case idle
        case move(to: DispatchQueue)
        case handOver(Ticket, resumeAwait: HandlerLink.ResumeAwait)
        case skip(HandlerLink)
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
    }

    typealias Ticket = Int

    var outcome = HandlerOutcome.pending
    private var links: [HandlerLink] = []
    private var lastTicket = 0
    private var isAdvancing = false
    private var hasTakenLink = false

    var isEmpty: Bool { links.isEmpty }

    var isUnwanted: Bool { links.allSatisfy(\.onlyWatches) }

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
        links.firstIndex { $0.ticket == ticket }.map { links.remove(at: $0) }
    }

    mutating func finishReading(_ deliver: @escaping HandlerLink.Delivery) {
        guard case .success = outcome, let link = links.first else { return }
        links[0] = link.delivering(deliver)
    }

    @discardableResult
    private mutating func takeFirst() -> HandlerLink {
        hasTakenLink = true
        return links.removeFirst()
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
    mutating func reserve() { isAdvancing = true }

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
        guard let first = links.first, first.onSuccess != nil else { return false }
        return first.queue != nil || links.count == 1
    }

    var parsingQueue: DispatchQueue { links.first?.parsingQueue ?? .parsing }

    mutating func nextStep(on place: Place?) -> Step {
        if case .received(let adapter) = outcome {
            return move(to: .queue(parsingQueue), from: place) ?? .runPipeline(adapter)
        }
        switch (outcome, links.first) {
        case (.success(let adapter), let link?): return successStep(adapter, for: link, on: place)
        case (.failure(let failure), let link?): return failureStep(failure, for: link, on: place)
        case (.pending, _), (.received, _), (.success, nil), (.failure, nil):
            isAdvancing = false
            return .idle
        }
    }

    private mutating func successStep(
        _ adapter: PipelineAdapter, for link: HandlerLink, on place: Place?
    ) -> Step {
        guard let read = link.onSuccess else { return .skip(takeFirst()) }
        let isPrepared = adapter.has(link.need)
        if !isPrepared || link.readsFirst {
            return move(to: link.destination(for: .read(adapter)), from: place)
                ?? (isPrepared ? .read(read, adapter) : .prepare(adapter, link.need))
        }
        if let move = move(to: link.destination(for: .succeed(adapter)), from: place) { return move }
        takeFirst()
        return .succeed(link, adapter)
    }

    private mutating func failureStep(
        _ failure: HandlerOutcome.Failure, for link: HandlerLink, on place: Place?
    ) -> Step {
        guard let handle = link.onFailure else { return .skip(takeFirst()) }
        if let body = failure.body {
            return move(to: link.destination(for: .read(body)), from: place) ?? .readErrorBody(body)
        }
        if let move = move(to: link.destination(for: .fail), from: place) { return move }
        var received = failure
        if link.receivesFailure { received.isReceived = true }
        outcome = .failure(received)
        takeFirst()
        return .fail(handle, failure.error)
    }

    /// Returns the step that moves the chain to a destination, or `nil` if the chain needn't move.
    private func move(to destination: Place?, from place: Place?) -> Step? {
        switch (destination, place) {
        case (nil, _): nil
        case (.queue(let queue)?, .queue(let current)?) where queue.isSame(as: current): nil
        case (.queue(let queue)?, _): .move(to: queue)
        case (.awaiter(let ticket)?, .awaiter(let current)?) where ticket == current: nil
        case (.awaiter(let ticket)?, _): links.first?.resumeAwait.map { .handOver(ticket, resumeAwait: $0) }
        }
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
    typealias ResumeAwait = @Sendable () -> Bool

    enum Work {
        /// Loads, parses or decodes a body for the handler.
        case read(PipelineAdapter)
        case succeed(PipelineAdapter)
        case fail
    }

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
    let resumeAwait: ResumeAwait?

    init(
        _ queue: DispatchQueue?, _ need: PipelineAdapter.Need, readsFirst: Bool = false,
        onlyWatches: Bool = false, ticket: HandlerChain.Ticket = 0, resumeAwait: ResumeAwait? = nil,
        receivesFailure: Bool = true,
        onSuccess: SuccessHandler?, onFailure: FailureHandler? = nil
    ) {
        self.queue = queue
        self.need = need
        self.readsFirst = readsFirst
        self.onlyWatches = onlyWatches
        self.receivesFailure = receivesFailure
        self.ticket = ticket
        self.resumeAwait = resumeAwait
        self.onSuccess = onSuccess
        self.onFailure = onFailure
    }

    /// Returns the place where work for this link runs, or `nil` if it can run anywhere.
    func destination(for work: Work) -> HandlerChain.Place? {
        switch work {
        // An `await` reads only a small body, because it can't be cancelled while it reads.
        case .read(let adapter):
            resumeAwait != nil && adapter.isSmall ? .awaiter(ticket) : .queue(parsingQueue)
        case .succeed(let adapter) where resumeAwait != nil && queue != nil: destination(for: .read(adapter))
        // A failure only resumes an `await`, which is possible on any queue.
        case .fail where resumeAwait != nil: nil
        case .succeed, .fail: queue.map(HandlerChain.Place.queue)
        }
    }

    /// The queue on which the response is parsed, unless an `await` parses it. Never the main queue.
    var parsingQueue: DispatchQueue {
        guard resumeAwait == nil, let queue, !queue.isMain else { return .parsing }
        return queue
    }

    func delivering(_ deliver: @escaping Delivery) -> HandlerLink {
        var link = self
        link.readsFirst = false
        link.onSuccess = { _ in deliver }
        return link
    }
}
