import Dispatch

/// A task's handlers and what they are to see: the decisions, without the calls.
///
/// `ServiceTask` asks for one step at a time, under its lock, and carries it out without it. There is never more
/// than one step under way, so handlers run in order, one at a time, and no thread waits for another.
struct HandlerChain: Sendable {
    enum Step {
        /// Nothing to do until a handler is attached.
        case idle
        /// The next handler belongs to another queue.
        case hop(DispatchQueue)
        /// A handler that the outcome passes over; taken out so that it is released outside the lock.
        case skip(HandlerLink?)
        /// Run the pipeline over what arrived.
        indirect case process(Arrival)
        /// Make what the next handler reads.
        case prepare(ContentAdapter, ContentAdapter.Need)
        /// Hand the content to the handler.
        case succeed(HandlerLink, ContentAdapter)
        /// Read the body of a failure.
        case readErrorBody(ContentAdapter)
        /// Give a failure to the handler.
        case fail(HandlerLink, ServiceError)
    }

    /// Names a link that can be taken out again.
    typealias Ticket = Int

    enum Outcome {
        case pending
        /// The pipeline has yet to run. Indirect, so that it makes no task larger: it is there for a moment.
        indirect case arrived(Arrival)
        case success(ContentAdapter)
        case failure(Failure)
    }

    struct Failure {
        var error: ServiceError
        /// The failure's body, until it is read into the error.
        var body: ContentAdapter?
        /// Whether anyone was given the failure.
        var isReceived = false
    }

    /// What the handlers from here on see.
    private(set) var outcome = Outcome.pending
    private var links: [(ticket: Ticket, link: HandlerLink)?] = []
    private var nextIndex = 0
    private var lastTicket = 0
    private var isAdvancing = false
    private var hasTakenLink = false

    /// The first link that has not been taken.
    private var first: HandlerLink? {
        nextIndex < links.count ? links[nextIndex]?.link : nil
    }

    /// Whether no handler or `await` waits.
    var isEmpty: Bool { nextIndex == links.count }

    /// Whether nothing has arrived, and nothing has failed.
    var isPending: Bool { if case .pending = outcome { true } else { false } }

    /// Whether the outcome is known, and every handler has run; at least one has.
    var isFinished: Bool {
        switch outcome {
        case .pending, .arrived: false
        case .success, .failure: hasTakenLink && isEmpty && !isAdvancing
        }
    }

    /// A failure that nobody was given, cancellation aside.
    var unreceivedFailure: ServiceError? {
        guard case .failure(var failure) = outcome, !failure.isReceived, !failure.error.isCancelled else {
            return nil
        }
        if let body = failure.body { failure.error.entity = body.rawEntity }
        return failure.error
    }
}

// MARK: - Links

extension HandlerChain {
    /// Names a link that is about to be attached.
    mutating func nextTicket() -> Ticket {
        lastTicket += 1
        return lastTicket
    }

    /// Appends a link. Without a ticket it stays until it is taken.
    mutating func attach(_ link: HandlerLink, _ ticket: Ticket = 0) {
        links.append((ticket, link))
    }

    /// Takes a link out that has not been taken yet.
    mutating func detach(_ ticket: Ticket) -> HandlerLink? {
        guard let index = links.firstIndex(where: { $0?.ticket == ticket }) else { return nil }
        return links.remove(at: index)?.link
    }

    @discardableResult
    private mutating func takeFirst() -> HandlerLink? {
        guard let link = first else { return nil }
        links[nextIndex] = nil
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
    /// Takes what the pipeline is to run over, unless the chain has failed since.
    ///
    /// A pipeline of nothing but parsers needn't run before a handler asks for what it makes, and a cancelled task's
    /// doesn't run at all.
    mutating func arrive(_ arrival: Arrival, _ plan: PipelinePlan) {
        guard case .pending = outcome else { return }
        guard let parsers = plan.parsers, arrival.cached == nil else {
            let isCancelled = arrival.error?.isCancelled ?? false
            outcome = isCancelled ? failure(arrival, body: nil) : .arrived(arrival)
            return
        }
        let content = arrival.response.map { response in
            ContentAdapter(
                response: response, data: arrival.data, parsers: parsers, timestamp: arrival.timestamp)
        }
        if let content, arrival.error == nil {
            outcome = .success(content)
        } else {
            outcome = failure(arrival, body: content)
        }
    }

    private func failure(_ arrival: Arrival, body: ContentAdapter?) -> Outcome {
        .failure(Failure(error: arrival.error ?? ServiceError(.invalidResponse), body: body))
    }

    /// Takes what the pipeline has made of what arrived, unless the chain has failed since.
    mutating func finishProcessing(_ result: Result<ContentAdapter, ServiceError>) {
        guard case .arrived = outcome else { return }
        switch result {
        case .success(let content): outcome = .success(content)
        case .failure(let error): outcome = .failure(Failure(error: error))
        }
    }

    /// Sets what the handlers from here on see.
    mutating func succeed(with content: ContentAdapter) {
        outcome = .success(content)
    }

    /// Sets the failure that the handlers from here on see, in place of whatever they would have seen.
    mutating func fail(with error: ServiceError, body: ContentAdapter? = nil) {
        outcome = .failure(Failure(error: error, body: body))
    }

    /// Sets the failure that a success handler threw, unless the chain has failed since the handler began.
    mutating func fail(withThrown error: ServiceError, isReceived: Bool) {
        if case .success = outcome { outcome = .failure(Failure(error: error, isReceived: isReceived)) }
    }

    /// Takes the content with more made of it, unless the success is gone.
    mutating func finishPreparing(_ content: ContentAdapter) {
        if case .success = outcome { outcome = .success(content) }
    }

    /// Takes the body of a failure, unless another failure has taken its place.
    mutating func finishReadingErrorBody(_ entity: Entity<any Sendable>?) {
        guard case .failure(var failure) = outcome, failure.body != nil else { return }
        failure.error.entity = entity
        failure.body = nil
        outcome = .failure(failure)
    }

    /// Takes the entity that a handler gave in its failure's place, unless there is a new failure.
    mutating func recover(with content: ContentAdapter) {
        if case .failure(let failure) = outcome, failure.isReceived { outcome = .success(content) }
    }

    /// Takes the failure that a handler threw in its failure's place, unless there is a new one already.
    mutating func failRecovering(_ error: ServiceError) {
        if case .failure(let failure) = outcome, failure.isReceived { fail(with: error) }
    }
}

// MARK: - Steps

extension HandlerChain {
    /// Says that the chain is to advance.
    ///
    /// - Returns: false if somebody advances it already, or there is nothing to do. The pipeline runs also where there
    ///   is no handler: its caches are to have the response.
    mutating func start() -> Bool {
        let isDue =
            switch outcome {
            case .pending: false
            case .arrived: true
            case .success, .failure: !isEmpty
            }
        guard isDue, !isAdvancing else { return false }
        isAdvancing = true
        return true
    }

    /// Decides what comes next for whoever advances the chain, on the queue where it is now.
    mutating func nextStep(on queue: DispatchQueue?) -> Step {
        if case .arrived(let arrival) = outcome {
            let place = first?.preparationQueue ?? .userInitiated
            return place.isSame(as: queue) ? .process(arrival) : .hop(place)
        }
        guard let link = first else {
            isAdvancing = false
            return .idle
        }
        switch outcome {
        case .pending, .arrived:
            isAdvancing = false
            return .idle
        case .success(let content):
            if link.onSuccess == nil { return .skip(takeFirst()) }
            guard content.isReady(for: link.need) else {
                let place = link.preparationQueue
                return place.isSame(as: queue) ? .prepare(content, link.need) : .hop(place)
            }
            if let place = link.queue, !place.isSame(as: queue) { return .hop(place) }
            takeFirst()
            return .succeed(link, content)
        case .failure(var failure):
            if link.onFailure == nil { return .skip(takeFirst()) }
            if let body = failure.body {
                let place = link.preparationQueue
                return place.isSame(as: queue) ? .readErrorBody(body) : .hop(place)
            }
            if let place = link.queue, !place.isSame(as: queue) { return .hop(place) }
            failure.isReceived = true
            outcome = .failure(failure)
            takeFirst()
            return .fail(link, failure.error)
        }
    }
}
