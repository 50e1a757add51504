import Dispatch

/// A task's handlers and their outcome. The chain decides under the task's lock, and `ServiceTask` performs each step
/// outside it. Only one step is in progress at any time.
struct HandlerChain: Sendable {
    enum Step {
        case idle
        case move(to: DispatchQueue)
        case handOver(Ticket, HandlerLink.Turn)
        case skip(HandlerLink?)
        case runPipeline(PipelineAdapter)
        case prepare(PipelineAdapter, PipelineAdapter.Need)
        /// Call the first half of the next handler, off the main thread. The other half runs on the handler's queue.
        case read(HandlerLink.SuccessHandler, PipelineAdapter)
        case succeed(HandlerLink, PipelineAdapter)
        case readErrorBody(PipelineAdapter)
        case fail(HandlerLink.FailureHandler, ServiceError)
    }

    enum Place {
        case queue(DispatchQueue)
        /// The thread of the `await` with this ticket. It is woken in any case, so it also parses and decodes.
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

    var isPending: Bool { if case .pending = outcome { true } else { false } }

    /// Whether the outcome is known and all attached handlers have run. `false` if no handler was attached.
    var isFinished: Bool {
        switch outcome {
        case .pending, .received: false
        case .success, .failure: hasTakenLink && isEmpty && !isAdvancing
        }
    }
}

// MARK: - Links

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

// MARK: - Steps

extension HandlerChain {
    /// Returns `.idle` if a thread advances the chain already. Even without a handler, the pipeline runs for its
    /// caches.
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

    /// Whether the next link receives a success on its own queue, or is the last link and only resumes an `await`.
    var takesSuccess: Bool {
        guard let first, first.onSuccess != nil else { return false }
        return first.queue != nil || nextIndex == links.count - 1
    }

    var workplace: DispatchQueue { first?.workplace ?? .workplace }

    mutating func nextStep(on place: Place?) -> Step {
        if case .received(let adapter) = outcome {
            return workplace.isSame(as: place?.queue) ? .runPipeline(adapter) : .move(to: workplace)
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
        // A failure only resumes an `await`, which may happen on any queue.
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
