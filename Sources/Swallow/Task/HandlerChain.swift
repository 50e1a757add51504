import Dispatch

/// A task's handlers and their outcome. The chain only decides, and `ServiceTask` makes the calls.
///
/// `ServiceTask` requests one step at a time under its lock, and performs the step after it has released the lock. Only
/// one step is in progress at any time, so handlers run in order, one at a time, and no thread waits for another.
struct HandlerChain: Sendable {
    enum Step {
        /// Do nothing until a handler is attached.
        case idle
        /// Continue on the queue of the next handler.
        case hop(DispatchQueue)
        /// Let the `await` with this ticket advance the chain if it still waits.
        case handOver(Ticket, HandlerLink.Turn)
        /// Release a handler that doesn't receive this outcome. The step contains the handler, so that it is released
        /// outside the lock.
        case skip(HandlerLink?)
        /// Run the pipeline.
        case runPipeline(PipelineAdapter)
        /// Prepare the result that the next handler needs.
        case prepare(PipelineAdapter, PipelineAdapter.Need)
        /// Call the reading half of the next handler, off the main thread. The other half runs on the handler's queue.
        case read(HandlerLink.SuccessHandler, PipelineAdapter)
        /// Call a success handler.
        case succeed(HandlerLink, PipelineAdapter)
        /// Parse the body of a failure.
        case readErrorBody(PipelineAdapter)
        /// Call a failure handler.
        case fail(HandlerLink.FailureHandler, ServiceError)
    }

    /// The place where the chain is advanced.
    enum Place {
        case queue(DispatchQueue)
        /// The thread of the `await` with this ticket. The thread is woken in any case, so it also parses and decodes.
        case awaiter(Ticket)

        var queue: DispatchQueue? { if case .queue(let queue) = self { queue } else { nil } }
    }

    /// Identifies a link that can be removed.
    typealias Ticket = Int

    /// The outcome for the remaining links.
    var outcome = HandlerOutcome.pending
    private var links: [HandlerLink?] = []
    private var nextIndex = 0
    private var lastTicket = 0
    private var isAdvancing = false
    private var hasTakenLink = false

    /// The first link that hasn't been taken.
    private var first: HandlerLink? {
        nextIndex < links.count ? links[nextIndex] : nil
    }

    /// Whether no handler or `await` waits.
    var isEmpty: Bool { nextIndex == links.count }

    /// Whether all remaining links only report progress, so that no handler receives the outcome.
    var isUnwanted: Bool { links[nextIndex...].allSatisfy { $0?.onlyWatches ?? true } }

    /// Whether nothing has arrived, and nothing has failed.
    var isPending: Bool { if case .pending = outcome { true } else { false } }

    /// Whether the outcome is known, and at least one handler and all attached handlers have run.
    var isFinished: Bool {
        switch outcome {
        case .pending, .received: false
        case .success, .failure: hasTakenLink && isEmpty && !isAdvancing
        }
    }
}

// MARK: - Links

extension HandlerChain {
    /// Returns a ticket for a link that is attached next.
    mutating func nextTicket() -> Ticket {
        lastTicket += 1
        return lastTicket
    }

    mutating func attach(_ link: HandlerLink) {
        links.append(link)
    }

    /// Removes a link that hasn't been taken.
    mutating func detach(_ ticket: Ticket) -> HandlerLink? {
        guard let index = links.firstIndex(where: { $0?.ticket == ticket }) else { return nil }
        return links.remove(at: index)
    }

    /// Stores the second half of the first link, which runs on the link's queue.
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

// MARK: - Steps

extension HandlerChain {
    /// Starts the chain, and returns its first step. The step is `.idle` if a thread advances the chain already, or if
    /// there is nothing to do. The pipeline runs even without a handler, so that its caches store the response.
    mutating func firstStep(on place: Place?) -> Step {
        guard isDue else { return .idle }
        isAdvancing = true
        return nextStep(on: place)
    }

    /// Reserves the chain for a thread that advances it later. Call this when the outcome has just arrived.
    mutating func takeTurn() { isAdvancing = true }

    /// Whether there is a step to take, and no thread advances the chain.
    var isDue: Bool {
        if isAdvancing { return false }
        return switch outcome {
        case .pending: false
        case .received: true
        case .success, .failure: !isEmpty
        }
    }

    /// Whether the next link receives a success on its own queue, or is the last link and only resumes an `await`.
    var takesSuccess: Bool {
        guard let first, first.onSuccess != nil else { return false }
        return first.queue != nil || nextIndex == links.count - 1
    }

    /// The queue on which stages run for the first handler.
    var workplace: DispatchQueue { first?.workplace ?? .workplace }

    /// Returns the next step of the thread that advances the chain.
    mutating func nextStep(on place: Place?) -> Step {
        if case .received(let adapter) = outcome {
            return workplace.isSame(as: place?.queue) ? .runPipeline(adapter) : .hop(workplace)
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
            guard link.prepares(adapter, at: place) else { return link.move(toPrepare: adapter) }
            return adapter.has(link.need) ? .read(read, adapter) : .prepare(adapter, link.need)
        }
        if let queue = link.queue {
            if link.takeTurn != nil {
                if !link.prepares(adapter, at: place) { return link.move(toPrepare: adapter) }
            } else if !queue.isSame(as: place?.queue) {
                return .hop(queue)
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
        // A failure only resumes an `await`, which may happen on any queue.
        if link.takeTurn == nil, let queue = link.queue, !queue.isSame(as: place?.queue) {
            return .hop(queue)
        }
        var received = failure
        if link.receivesFailure { received.isReceived = true }
        outcome = .failure(received)
        takeFirst()
        return .fail(handle, failure.error)
    }
}
