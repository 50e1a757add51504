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
        /// Run the pipeline over what the transfer gave.
        indirect case process(PipelineInput)
        /// Make what the next handler reads.
        case make(ResponseContent, ResponseContent.Need)
        /// Have the next handler read the content before it gets it.
        case read(HandlerLink.SuccessHandler, ResponseContent)
        /// Hand the content to the handler.
        case succeed(HandlerLink, ResponseContent)
        /// Read the body of a failure.
        case readErrorBody(ResponseContent)
        /// Give a failure to the handler.
        case fail(HandlerLink.FailureHandler, ServiceError)
    }

    /// Names a link that can be taken out again.
    typealias Ticket = Int

    enum Outcome {
        case pending
        /// The pipeline has yet to run. Indirect, so that it makes no task larger: it is there for a moment.
        indirect case received(PipelineInput)
        case success(ResponseContent)
        case failure(Failure)
    }

    struct Failure {
        var error: ServiceError
        /// The failure's body, until it is read into the error.
        var body: ResponseContent?
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
    /// Whose `await` had the turn last.
    private var turnHolder: Ticket?

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
    /// Takes what the pipeline is to run over, unless there is an outcome already; says whether it did.
    ///
    /// A pipeline of nothing but parsers needn't run before a handler asks for what it makes, and a cancelled task's
    /// doesn't run at all.
    mutating func receive(_ input: PipelineInput, _ plan: PipelinePlan) -> Bool {
        guard case .pending = outcome else { return false }
        let isCancelled = input.error?.isCancelled ?? false
        if plan.parsers == nil, !isCancelled {
            outcome = .received(input)
            return true
        }
        let content = input.response.map { ResponseContent($0, plan) }
        if let content, input.error == nil {
            outcome = .success(content)
        } else {
            outcome = .failure(Failure(error: input.error ?? ServiceError(.invalidResponse), body: content))
        }
        return true
    }

    /// Takes content that was made before, unless there is an outcome already.
    mutating func receive(_ content: ResponseContent) {
        if case .pending = outcome { outcome = .success(content) }
    }

    /// Takes what the pipeline has made, unless the chain has failed since.
    mutating func finishProcessing(_ result: Result<ResponseContent, ServiceError>) {
        guard case .received = outcome else { return }
        switch result {
        case .success(let content): outcome = .success(content)
        case .failure(let error): outcome = .failure(Failure(error: error))
        }
    }

    /// Sets what the handlers from here on see.
    mutating func succeed(with content: ResponseContent) {
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

    /// Takes the content with more made of it, unless the success is gone.
    mutating func finishMaking(_ content: ResponseContent) {
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
    mutating func recover(with content: ResponseContent) {
        if case .failure(let failure) = outcome, failure.isReceived { outcome = .success(content) }
    }

    /// Takes the failure that a handler threw in its failure's place, unless there is a new one already.
    mutating func failRecovering(_ error: ServiceError) {
        if case .failure(let failure) = outcome, failure.isReceived { fail(with: error) }
    }
}

extension HandlerChain.Failure {
    /// Keeps the response that was there before.
    fileprivate mutating func keep(_ content: ResponseContent) {
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
    /// Starts the chain.
    ///
    /// - Returns: false if a thread advances it already, or there is nothing to do. The pipeline runs also where there
    ///   is no handler: its caches are to have the response.
    mutating func start() -> Bool {
        let isDue =
            switch outcome {
            case .pending: false
            case .received: true
            case .success, .failure: !isEmpty
            }
        guard isDue, !isAdvancing else { return false }
        isAdvancing = true
        return true
    }

    /// Gives the turn to the first link's `await`: resumes it, if it still waits.
    mutating func handOver() -> HandlerLink.Turn? {
        turnHolder = first?.ticket
        return first?.takeTurn
    }

    /// Whether a success goes to another queue first, or to no link but one that resumes a continuation.
    var takesSuccess: Bool {
        guard let first, first.onSuccess != nil else { return false }
        return first.queue != nil || nextIndex == links.count - 1
    }

    /// Where stages run for the first handler.
    var workplace: DispatchQueue { first?.workplace ?? .workplace }

    /// Decides the next step of the thread that advances the chain.
    mutating func nextStep(on queue: DispatchQueue?) -> Step {
        // The thread of an `await` goes on with its own link only.
        let queue = queue === DispatchQueue.awaiters && first?.ticket != turnHolder ? nil : queue
        if case .received(let input) = outcome {
            return workplace.isSame(as: queue) ? .process(input) : .hop(workplace)
        }
        guard let link = first else {
            isAdvancing = false
            return .idle
        }
        switch outcome {
        case .pending, .received:
            isAdvancing = false
            return .idle
        case .success(let content): return nextStep(after: content, for: link, on: queue)
        case .failure(let failure): return nextStep(after: failure, for: link, on: queue)
        }
    }

    private mutating func nextStep(
        after content: ResponseContent, for link: HandlerLink, on queue: DispatchQueue?
    ) -> Step {
        guard let read = link.onSuccess else { return .skip(takeFirst()) }
        let workplace = link.workplace(for: content)
        if !content.has(link.need) || link.readsFirst {
            if !workplace.isSame(as: queue) { return .hop(workplace) }
            return content.has(link.need) ? .read(read, content) : .make(content, link.need)
        }
        let place = link.takeTurn == nil || link.queue == nil ? link.queue : workplace
        if let place, !place.isSame(as: queue) { return .hop(place) }
        takeFirst()
        return .succeed(link, content)
    }

    private mutating func nextStep(
        after failure: Failure, for link: HandlerLink, on queue: DispatchQueue?
    ) -> Step {
        guard let handle = link.onFailure else { return .skip(takeFirst()) }
        if let body = failure.body {
            let workplace = link.workplace(for: body)
            return workplace.isSame(as: queue) ? .readErrorBody(body) : .hop(workplace)
        }
        // An `await` is only resumed.
        if link.takeTurn == nil, let place = link.queue, !place.isSame(as: queue) { return .hop(place) }
        var received = failure
        if link.receivesFailure { received.isReceived = true }
        outcome = .failure(received)
        takeFirst()
        return .fail(handle, failure.error)
    }
}

// MARK: - Links

/// One handler, or one `await`, in a task's chain.
// Optionals rather than enums with payloads: a link is copied some ten times on its way, and copies of those cost
// a third of a handler more.
struct HandlerLink: Sendable {
    /// Hands the content over, or returns the call that does. What either throws fails the chain.
    typealias SuccessHandler = @Sendable (ContentReader) throws -> Delivery?
    /// Hands over what was read before; returns other content to go on with, if there is any.
    typealias Delivery = @Sendable () throws -> (any Sendable)?
    /// Takes a failure; a link that recovers returns the entity to go on with.
    typealias FailureHandler = @Sendable (ServiceError) throws -> Entity<any Sendable>?
    /// Resumes the `await` that made the link, to go on with the chain; false where it doesn't wait any more.
    typealias Turn = @Sendable () -> Bool

    /// Where the handler runs; nil for one that only resumes a continuation, which it may do anywhere.
    let queue: DispatchQueue?
    /// What is to be made of the content before it runs.
    let need: ResponseContent.Need
    /// Whether it reads for long, so not on the main thread, before it hands over.
    private(set) var readsFirst = false
    /// Whether it is about the transfer's progress, so that the request isn't sent on for it alone.
    let onlyWatches: Bool
    /// Whether a failure that it takes counts as received.
    let receivesFailure: Bool
    /// What it does after a success; nil passes it over.
    private(set) var onSuccess: SuccessHandler?
    /// What it does after a failure, its own included; nil passes it over.
    let onFailure: FailureHandler?
    /// Names a link that can be taken out again; 0 for one that stays until it is taken.
    let ticket: HandlerChain.Ticket
    /// For a link of an `await`, which does its work itself.
    let takeTurn: Turn?

    init(
        _ queue: DispatchQueue?, _ need: ResponseContent.Need, readsFirst: Bool = false,
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
    fileprivate var workplace: DispatchQueue {
        guard takeTurn == nil, let queue, !queue.isMain else { return .workplace }
        return queue
    }

    /// Where to make what the handler reads. What takes so long that its `await` may be cancelled meanwhile is made elsewhere:
    /// an `await` that has the turn can't end at once.
    fileprivate func workplace(for content: ResponseContent) -> DispatchQueue {
        takeTurn != nil && content.isSmall ? .awaiters : workplace
    }

    /// The same link, with what it was to read.
    fileprivate func delivering(_ deliver: @escaping Delivery) -> HandlerLink {
        var link = self
        link.readsFirst = false
        link.onSuccess = { _ in deliver }
        return link
    }
}
