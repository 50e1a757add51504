import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Runs the handler chain.
extension ServiceTask {
    /// Appends a handler to the chain.
    @discardableResult
    func attach(_ link: HandlerLink) -> Self {
        // Asked first, since a step is a large value, and most handlers come before there is one.
        let isDue = core.withLock { core in
            core.chain.attach(link)
            return core.chain.isDue
        }
        if isDue { advance(from: core.withLock { $0.chain.firstStep(on: nil) }, on: nil) }
        return self
    }

    /// A ticket under which a link can be attached and, before it runs, abandoned.
    func nextTicket() -> HandlerChain.Ticket {
        core.withLock { $0.chain.nextTicket() }
    }

    /// Removes a cancelled `await` from the chain. If nothing else waits for the outcome, the request ends too.
    ///
    /// - Parameter resume: Resumes the `await`. If this ends a download, it is called after the partial file is removed.
    func abandon(_ ticket: HandlerChain.Ticket, _ resume: @escaping @Sendable () -> Void) {
        var abandoned: HandlerLink?
        var hasFailed = false
        let error = ServiceError(.cancelled, request: request)
        update { core in
            abandoned = core.chain.detach(ticket)
            if abandoned != nil, core.chain.isUnwanted {
                hasFailed = core.fail(with: error, evenAfterResponse: false)
            }
        }
        if hasFailed { log?.failed(error) }
        guard request.download != nil else { return resume() }
        if hasFailed {
            attach(
                HandlerLink(nil, .bytes, onSuccess: nil) { _ in
                    resume()
                    return nil
                })
        } else if abandoned != nil {
            resume()
        }
        // Otherwise the `await` is about to be attached, or the chain resumes it.
    }

    /// Removes an `await` from the chain that has its value already.
    func detach(_ ticket: HandlerChain.Ticket) {
        let link = core.withLock { $0.chain.detach(ticket) }
        // Released outside the lock.
        withExtendedLifetime(link) {}
    }

    /// Starts a task that was never started, for an `await`.
    func resumeIfCreated() {
        if !isSentAtOnce, core.withLock({ $0.exchange.control.isCreated }) { resume() }
    }

    /// Advances the chain; only the thread that has the turn may call this.
    func advance(on place: HandlerChain.Place?) {
        advance(from: nextStep(on: place), on: place)
    }

    /// Takes the chain's steps until there is nothing to do, or the next one belongs elsewhere.
    func advance(from first: consuming HandlerChain.Step, on place: HandlerChain.Place?) {
        var step = first
        while true {
            switch step {
            case .idle: return
            case .hop(let queue): return hop(to: queue)
            case .handOver(let ticket, let takeTurn):
                // Where the `await` doesn't wait any more, a worker goes on in its place.
                if !takeTurn() { DispatchQueue.workplace.async { self.advance(on: .awaiter(ticket)) } }
                return
            default: step = take(step, on: place)
            }
        }
    }

    private func hop(to queue: DispatchQueue) {
        #if DEBUG
            if queue.isMain {
                MainThreadWatch.standard.expectArrival()
                return queue.async {
                    MainThreadWatch.standard.noteArrival()
                    self.advance(on: .queue(queue))
                }
            }
        #endif
        queue.async { self.advance(on: .queue(queue)) }
    }

    /// Carries out a step without the lock, and decides on the next one.
    private func take(_ step: HandlerChain.Step, on place: HandlerChain.Place?) -> HandlerChain.Step {
        switch step {
        case .idle, .hop, .handOver, .skip:
            return nextStep(on: place)
        case .process(let input):
            let result = process(input)
            return nextStep(on: place) { $0.finishProcessing(result) }
        case .make(let content, let need):
            let made = make(need, of: content)
            return nextStep(on: place) { $0.finishMaking(made) }
        case .read(let read, let content):
            do {
                let deliver = try read(content)
                return nextStep(on: place) { $0.finishReading(deliver ?? { nil }) }
            } catch {
                // The link is still first in the chain, so it gets this failure if it takes failures.
                let error = failure(thrown: error, after: content.head)
                log?.failed(error)
                return nextStep(on: place) { $0.fail(withThrown: error, isReceived: false) }
            }
        case .succeed(let link, let content):
            do {
                guard let made = try link.onSuccess?(content)?() else {
                    return nextStep(on: place)
                }
                let replaced = content.replacing(made)
                return nextStep(on: place) { $0.finishMaking(replaced) }
            } catch {
                let error = failure(thrown: error, after: content.head)
                log?.failed(error)
                // A link that takes failures takes its own first.
                _ = try? link.onFailure?(error.with(content.errorEntity))
                return nextStep(on: place) {
                    $0.fail(withThrown: error, isReceived: link.onFailure != nil && link.receivesFailure)
                }
            }
        case .readErrorBody(let body):
            let entity = body.making(.entity).errorEntity
            return nextStep(on: place) { $0.finishReadingErrorBody(entity) }
        case .fail(let handle, let error):
            do {
                guard let entity = try handle(error) else { return nextStep(on: place) }
                let content = recoveredContent(entity)
                return nextStep(on: place) { $0.recover(with: content) }
            } catch {
                let error = failure(thrown: error)
                log?.failed(error)
                return nextStep(on: place) { $0.failRecovering(error) }
            }
        }
    }

    /// The content for the handlers after a failure that a handler or a transformer replaced by an entity.
    func recoveredContent(_ entity: Entity<any Sendable>) -> PipelineAdapter {
        PipelineAdapter(
            .recovered(entity, url: URL(string: request.urlString), encoding: request.jsonEncoding), plan,
            PipelineResults(output: entity))
    }

    /// Runs parsers that were postponed, and logs them.
    private func make(_ need: PipelineAdapter.Need, of content: PipelineAdapter) -> PipelineAdapter {
        guard let log, let parser = content.parser(for: need) else { return content.making(need) }
        let start = ContinuousClock.now
        let made = content.making(need)
        if let result = made.result(of: need) {
            log.ran(
                parser, in: PipelineStageKey.parsing.description, for: ContinuousClock.now - start, result)
        }
        return made
    }

    /// Adds the request, the response's head and the number of attempts to a thrown error.
    func failure(thrown error: any Error, after head: HTTPURLResponse? = nil) -> ServiceError {
        ServiceError(thrown: error, request: request, response: head)
            .after(core.withLock { $0.exchange.attempt.sent })
    }

    private func nextStep(on place: HandlerChain.Place?) -> HandlerChain.Step {
        core.withLock { $0.chain.nextStep(on: place) }
    }

    private func nextStep(
        on place: HandlerChain.Place?, after change: (inout HandlerChain) -> Void
    ) -> HandlerChain.Step {
        core.withLock { core in
            // The replaced outcome is returned, so that objects of the app's in it are released outside the lock.
            let replaced = core.chain.outcome
            change(&core.chain)
            return (core.chain.nextStep(on: place), replaced)
        }.0
    }
}
