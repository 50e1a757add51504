import Dispatch

/// A task's handlers, and the outcome that they get. It only decides; `ServiceTask` makes the calls.
///
/// `ServiceTask` asks for one step at a time under its lock, and carries it out once it has released the lock. There is
/// never more than one step under way, so handlers run in order, one at a time, and no thread waits for another.
struct HandlerChain: Sendable {
    enum Step {
        /// Nothing to do until a handler is attached.
        case idle
        /// The next handler belongs to another queue.
        case hop(DispatchQueue)
        /// Let the `await` with this ticket advance the chain itself, if it still waits.
        case handOver(Ticket, HandlerLink.Turn)
        /// A handler that the outcome passes over; taken out so that it is released outside the lock.
        case skip(HandlerLink?)
        /// Run the pipeline over what the transfer gave.
        case process(PipelineAdapter)
        /// Make what the next handler reads.
        case make(PipelineAdapter, PipelineAdapter.Need)
        /// Call the reading half of the next handler, off the main thread; its delivery follows on its queue.
        case read(HandlerLink.SuccessHandler, PipelineAdapter)
        /// Hand the content to the handler.
        case succeed(HandlerLink, PipelineAdapter)
        /// Read the body of a failure.
        case readErrorBody(PipelineAdapter)
        /// Give a failure to the handler.
        case fail(HandlerLink.FailureHandler, ServiceError)
    }

    /// Where the chain is advanced, or a link's work belongs.
    enum Place {
        case queue(DispatchQueue)
        /// The thread of the `await` with this ticket. It is woken anyway, so it also parses and decodes what it reads.
        case awaiter(Ticket)

        var queue: DispatchQueue? { if case .queue(let queue) = self { queue } else { nil } }
    }

    /// Names a link that can be taken out again.
    typealias Ticket = Int

    enum Outcome {
        case pending
        /// The transfer is complete, and the pipeline must run.
        case received(PipelineAdapter)
        case success(PipelineAdapter)
        case failure(Failure)
    }

    struct Failure {
        var error: ServiceError
        /// The failure's body, until it is read into the error.
        var body: PipelineAdapter?
        /// Whether anyone was given the failure.
        var isReceived = false
    }

    /// What the handlers from here on see.
    private(set) var outcome = Outcome.pending
    private var links: [HandlerLink?] = []
    private var nextIndex = 0
    private var lastTicket = 0
    private var isAdvancing = false
    private var hasTakenLink = false

    /// The first link that has not been taken.
    private var first: HandlerLink? {
        nextIndex < links.count ? links[nextIndex] : nil
    }

    /// Whether no handler or `await` waits.
    var isEmpty: Bool { nextIndex == links.count }

    /// Whether all links that are left report progress only, so that no handler takes the outcome.
    var isUnwanted: Bool { links[nextIndex...].allSatisfy { $0?.onlyWatches ?? true } }

    /// Whether nothing has arrived, and nothing has failed.
    var isPending: Bool { if case .pending = outcome { true } else { false } }

    /// Whether the outcome is known, and every handler has run; at least one has.
    var isFinished: Bool {
        switch outcome {
        case .pending, .received: false
        case .success, .failure: hasTakenLink && isEmpty && !isAdvancing
        }
    }

    /// Whether the task was cancelled.
    var isCancelled: Bool {
        if case .failure(let failure) = outcome { failure.error.isCancelled } else { false }
    }

    /// A failure that no handler was given, cancellation aside.
    var unreceivedFailure: ServiceError? {
        guard case .failure(var failure) = outcome, !failure.isReceived, !failure.error.isCancelled else {
            return nil
        }
        if let body = failure.body { failure.error.entity = body.rawEntity }
        return failure.error
    }
}

// MARK: - Attaching

extension HandlerChain {
    /// Names a link that is about to be attached.
    mutating func nextTicket() -> Ticket {
        lastTicket += 1
        return lastTicket
    }

    /// Appends a link.
    mutating func attach(_ link: HandlerLink) {
        links.append(link)
    }

    /// Takes a link out that has not been taken yet.
    mutating func detach(_ ticket: Ticket) -> HandlerLink? {
        guard let index = links.firstIndex(where: { $0?.ticket == ticket }) else { return nil }
        return links.remove(at: index)
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

// MARK: - What the links see

extension HandlerChain {
    /// Sets the outcome to the transfer's result. Returns false if there is an outcome already.
    ///
    /// The pipeline of a cancelled task doesn't run.
    @discardableResult
    mutating func complete(with adapter: PipelineAdapter) -> Bool {
        guard case .pending = outcome else { return false }
        if adapter.isPipelineDue, !(adapter.error?.isCancelled ?? false) {
            outcome = .received(adapter)
        } else if let error = adapter.error {
            outcome = .failure(Failure(error: error, body: adapter.response.map { _ in adapter }))
        } else {
            outcome = .success(adapter)
        }
        return true
    }

    /// Takes what the pipeline has made, unless the chain has failed since.
    mutating func finishProcessing(_ result: Result<PipelineAdapter, ServiceError>) {
        guard case .received = outcome else { return }
        switch result {
        case .success(let content): outcome = .success(content)
        case .failure(let error): outcome = .failure(Failure(error: error))
        }
    }

    /// Sets what the handlers from here on see.
    mutating func succeed(with content: PipelineAdapter) {
        outcome = .success(content)
    }

    /// Sets the failure that the handlers from here on see, in place of whatever they would have seen. It keeps the
    /// response that was there.
    mutating func fail(with error: ServiceError) {
        var failure = Failure(error: error)
        switch outcome {
        // The body of a response that was given up isn't read.
        case _ where error.isCancelled: break
        case .success(let content): failure.keep(content)
        case .failure(let previous):
            failure.error.keepResponse(of: previous.error)
            failure.body = error.entity == nil ? previous.body : nil
        case .received(let input):
            failure.error.response = error.response ?? input.response?.head
            failure.error.entity = error.entity ?? input.response?.entity
        case .pending: break
        }
        outcome = .failure(failure)
    }

    /// Sets the failure that a success handler threw, unless the chain has failed since the handler began.
    mutating func fail(withThrown error: ServiceError, isReceived: Bool) {
        guard case .success(let content) = outcome else { return }
        var failure = Failure(error: error, isReceived: isReceived)
        failure.keep(content)
        outcome = .failure(failure)
    }

    /// Replaces the content by a version with more made of it, unless the chain has failed since.
    mutating func finishMaking(_ content: PipelineAdapter) {
        if case .success = outcome { outcome = .success(content) }
    }

    /// Keeps what the first link has read until it can be handed over on its queue.
    mutating func finishReading(_ deliver: @escaping HandlerLink.Delivery) {
        guard case .success = outcome, let link = first else { return }
        links[nextIndex] = link.delivering(deliver)
    }

    /// Takes the body of a failure, unless another failure has taken its place.
    mutating func finishReadingErrorBody(_ entity: Entity<any Sendable>?) {
        guard case .failure(var failure) = outcome, failure.body != nil else { return }
        failure.error.entity = failure.error.entity ?? entity
        failure.body = nil
        outcome = .failure(failure)
    }

    /// Takes the entity that a handler gave in its failure's place, unless there is a new failure.
    mutating func recover(with content: PipelineAdapter) {
        if case .failure(let failure) = outcome, failure.isReceived { outcome = .success(content) }
    }

    /// Takes the failure that a handler threw in its failure's place, unless there is a new one already.
    mutating func failRecovering(_ error: ServiceError) {
        if case .failure(let failure) = outcome, failure.isReceived { fail(with: error) }
    }
}

extension HandlerChain.Failure {
    /// Keeps the response that was there before.
    fileprivate mutating func keep(_ content: PipelineAdapter) {
        error.response = error.response ?? content.head
        if error.entity == nil { body = content }
    }
}

extension ServiceError {
    fileprivate mutating func keepResponse(of other: ServiceError) {
        response = response ?? other.response
        entity = entity ?? other.entity
    }
}

// MARK: - Steps

extension HandlerChain {
    /// Starts the chain, and decides its first step: none if a thread advances it already, or if there is nothing to
    /// do. The pipeline runs even without a handler, so that its caches get the response.
    mutating func firstStep(on place: Place?) -> Step {
        guard isDue else { return .idle }
        isAdvancing = true
        return nextStep(on: place)
    }

    /// Takes the turn for a thread that advances the chain later. Call it when the outcome has just arrived.
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

    /// Whether the next link takes a success on a queue of its own, or is the only one left and just resumes an `await`.
    var takesSuccess: Bool {
        guard let first, first.onSuccess != nil else { return false }
        return first.queue != nil || nextIndex == links.count - 1
    }

    /// Where stages run for the first handler.
    var workplace: DispatchQueue { first?.workplace ?? .workplace }

    /// Decides the next step of the thread that advances the chain.
    mutating func nextStep(on place: Place?) -> Step {
        if case .received(let input) = outcome {
            return workplace.isSame(as: place?.queue) ? .process(input) : .hop(workplace)
        }
        guard let link = first else {
            isAdvancing = false
            return .idle
        }
        switch outcome {
        case .pending, .received:
            isAdvancing = false
            return .idle
        case .success(let content): return nextStep(after: content, for: link, on: place)
        case .failure(let failure): return nextStep(after: failure, for: link, on: place)
        }
    }

    private mutating func nextStep(
        after content: PipelineAdapter, for link: HandlerLink, on place: Place?
    ) -> Step {
        guard let read = link.onSuccess else { return .skip(takeFirst()) }
        if !content.has(link.need) || link.readsFirst {
            guard link.makes(content, at: place) else { return link.move(for: content) }
            return content.has(link.need) ? .read(read, content) : .make(content, link.need)
        }
        if let queue = link.queue {
            if link.takeTurn != nil {
                if !link.makes(content, at: place) { return link.move(for: content) }
            } else if !queue.isSame(as: place?.queue) {
                return .hop(queue)
            }
        }
        takeFirst()
        return .succeed(link, content)
    }

    private mutating func nextStep(
        after failure: Failure, for link: HandlerLink, on place: Place?
    ) -> Step {
        guard let handle = link.onFailure else { return .skip(takeFirst()) }
        if let body = failure.body {
            return link.makes(body, at: place) ? .readErrorBody(body) : link.move(for: body)
        }
        // A failure just resumes an `await`, which may happen on any queue.
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
