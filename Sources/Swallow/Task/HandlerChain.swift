import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

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
        /// Make what the next handler reads.
        case prepare(HandlerLink.Preparation, ContentAdapter, Ticket)
        /// Hand what was made to the handler.
        case deliver(HandlerLink.Delivery, HTTPURLResponse?)
        /// Read the body of a failure.
        case readErrorBody(ContentAdapter)
        /// Give a failure to the handler.
        case fail(HandlerLink.FailureHandler, ServiceError)
    }

    /// Names one link, so that a result made for it is not taken for another's.
    typealias Ticket = Int

    private enum Outcome {
        case pending
        case success(ContentAdapter)
        /// - body: the failure's body, until it is read into the error.
        /// - isReceived: whether anyone was given the failure.
        case failure(ServiceError, body: ContentAdapter?, isReceived: Bool)
    }

    private var outcome = Outcome.pending
    private var links: [(ticket: Ticket, link: HandlerLink)?] = []
    private var nextIndex = 0
    private var lastTicket = 0
    /// What was made for the first link.
    private var prepared: HandlerLink.Delivery?
    private var isAdvancing = false

    /// The first link that has not been taken.
    private var first: (ticket: Ticket, link: HandlerLink)? {
        nextIndex < links.count ? links[nextIndex] : nil
    }

    /// Whether the outcome is known, and every handler attached so far has run.
    var isFinished: Bool {
        if case .pending = outcome { false } else { first == nil && !isAdvancing }
    }
    /// Whether no handler or `await` waits.
    var isEmpty: Bool { first == nil }

    /// A failure that nobody was given.
    var unreceivedFailure: ServiceError? {
        guard case .failure(var error, let body, false) = outcome, !error.isCancelled else { return nil }
        if let body { error.entity = body.rawEntity }
        return error
    }

    /// Names a link that is about to be attached.
    mutating func nextTicket() -> Ticket {
        lastTicket += 1
        return lastTicket
    }

    mutating func attach(_ link: HandlerLink, _ ticket: Ticket) {
        links.append((ticket, link))
    }

    /// Takes a link out that has not been taken yet.
    mutating func detach(_ ticket: Ticket) -> HandlerLink? {
        guard let index = links.indices.first(where: { links[$0]?.ticket == ticket }) else { return nil }
        if index == nextIndex { prepared = nil }
        return links.remove(at: index)?.link
    }

    /// Sets what the handlers from here on see.
    mutating func succeed(with content: ContentAdapter) {
        outcome = .success(content)
    }

    /// Sets the failure that the handlers from here on see, in place of whatever they would have seen.
    mutating func fail(with error: ServiceError, body: ContentAdapter? = nil) {
        prepared = nil
        outcome = .failure(error, body: body, isReceived: false)
    }

    /// Sets the failure that a handler threw, unless the chain has failed since the handler began.
    mutating func fail(withThrown error: ServiceError) {
        if case .success = outcome { fail(with: error) }
    }

    /// Says that the chain is to advance.
    ///
    /// - Returns: false if somebody advances it already, or there is nothing to do.
    mutating func start() -> Bool {
        if case .pending = outcome { return false }
        guard !isAdvancing, first != nil else { return false }
        isAdvancing = true
        return true
    }

    /// Decides what comes next for whoever advances the chain, on the queue where it is now.
    mutating func nextStep(on queue: DispatchQueue?) -> Step {
        guard let (ticket, link) = first else {
            isAdvancing = false
            return .idle
        }
        switch outcome {
        case .pending:
            isAdvancing = false
            return .idle
        case .success(let content): return nextStep(on: queue, for: link, ticket, content)
        case .failure(let error, let body, _):
            guard let onFailure = link.onFailure else { return .skip(takeFirst()) }
            if let body {
                let readingQueue = link.preparationQueue
                return queue === readingQueue ? .readErrorBody(body) : .hop(readingQueue)
            }
            if let target = link.queue, target !== queue { return .hop(target) }
            outcome = .failure(error, body: nil, isReceived: true)
            takeFirst()
            return .fail(onFailure, error)
        }
    }

    private mutating func nextStep(
        on queue: DispatchQueue?, for link: HandlerLink, _ ticket: Ticket, _ content: ContentAdapter
    ) -> Step {
        guard let onSuccess = link.onSuccess else { return .skip(takeFirst()) }
        if let prepared {
            if let target = link.queue, target !== queue { return .hop(target) }
            self.prepared = nil
            takeFirst()
            return .deliver(prepared, content.response)
        }
        let preparationQueue = content.isReady(for: link.need) ? link.queue : link.preparationQueue
        if let preparationQueue, preparationQueue !== queue { return .hop(preparationQueue) }
        return .prepare(onSuccess, content, ticket)
    }

    /// Takes what was made for a link, unless the link or the success is gone.
    mutating func finishPreparing(
        _ ticket: Ticket, _ delivery: @escaping HandlerLink.Delivery, _ content: ContentAdapter
    ) {
        guard case .success = outcome else { return }
        outcome = .success(content)
        if first?.ticket == ticket { prepared = delivery }
    }

    /// Takes a failure to make what a link reads, unless the link or the success is gone.
    mutating func failPreparing(_ ticket: Ticket, _ error: ServiceError, _ content: ContentAdapter) {
        guard case .success = outcome else { return }
        if first?.ticket == ticket { fail(with: error) } else { outcome = .success(content) }
    }

    /// Takes the body of a failure, unless another failure has taken its place.
    mutating func finishReadingErrorBody(_ entity: Entity<any Sendable>?) {
        guard case .failure(var error, .some, let isReceived) = outcome else { return }
        error.entity = entity
        outcome = .failure(error, body: nil, isReceived: isReceived)
    }

    /// Takes the entity that a handler gave in its failure's place, unless there is a new failure.
    mutating func recover(with content: ContentAdapter) {
        if case .failure(_, _, isReceived: true) = outcome { outcome = .success(content) }
    }

    /// Takes the failure that a handler threw in its failure's place, unless there is a new one already.
    mutating func failRecovering(_ error: ServiceError) {
        if case .failure(_, _, isReceived: true) = outcome { fail(with: error) }
    }

    @discardableResult
    private mutating func takeFirst() -> HandlerLink? {
        guard let link = first?.link else { return nil }
        links[nextIndex] = nil
        nextIndex += 1
        if nextIndex == links.count {
            links = []
            nextIndex = 0
        }
        return link
    }
}
