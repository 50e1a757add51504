import Dispatch
import Foundation

/// The side of the handlers.
extension ServiceTask {
    /// Appends a handler to the chain.
    @discardableResult
    func attach(_ link: HandlerLink) -> Self {
        attach(link, 0)
        return self
    }

    /// A ticket under which a link can be attached and, before it runs, abandoned.
    func nextTicket() -> HandlerChain.Ticket {
        core.withLock { $0.chain.nextTicket() }
    }

    func attach(_ link: HandlerLink, _ ticket: HandlerChain.Ticket) {
        let starts = core.withLock { core in
            core.chain.attach(link, ticket)
            return core.chain.start()
        }
        if starts { advance(at: .unknown) }
    }

    /// Takes an `await` that was cancelled out of the chain; when nothing else is attached, the request ends too.
    func abandon(_ ticket: HandlerChain.Ticket) {
        var abandoned: HandlerLink?
        var hasFailed = false
        let error = ServiceError(.cancelled, request: request)
        settle { core in
            abandoned = core.chain.detach(ticket)
            if abandoned != nil, core.chain.isEmpty {
                hasFailed = core.fail(with: error, evenAfterResponse: false)
            }
        }
        if hasFailed { log?.failed(error) }
    }

    /// Starts a task that was never started, for an `await`.
    func resumeIfCreated() {
        if core.withLock({ $0.transfer.isCreated }) { resume() }
    }

    /// Takes the chain's steps until there is nothing to do, or the next one belongs to another queue.
    func advance(at position: ChainPosition) {
        var step = nextStep(at: position)
        while true {
            switch step {
            case .idle: return
            case .hop(let queue): return queue.async { self.advance(at: .queue(queue)) }
            default: step = take(step, at: position)
            }
        }
    }

    /// Carries out a step without the lock, and decides on the next one.
    private func take(_ step: HandlerChain.Step, at position: ChainPosition) -> HandlerChain.Step {
        switch step {
        case .idle, .hop, .skip:
            return nextStep(at: position)
        case .process(let input):
            let result = process(input)
            return nextStep(at: position) { $0.finishProcessing(result) }
        case .make(let content, let need):
            let made = make(need, of: content)
            return nextStep(at: position) { $0.finishMaking(made) }
        case .read(let read, let content):
            do {
                let deliver = try read(ContentReader(content: content))
                return nextStep(at: position) { $0.finishReading(deliver) }
            } catch {
                // The link is still there, and the first to get the failure if it takes any.
                let error = ServiceError(thrown: error, request: request, response: content.head)
                log?.failed(error)
                return nextStep(at: position) { $0.fail(withThrown: error, isReceived: false) }
            }
        case .succeed(let link, let content):
            do {
                if case .handle(let handle)? = link.onSuccess { try handle(ContentReader(content: content)) }
                return nextStep(at: position)
            } catch {
                let error = ServiceError(thrown: error, request: request, response: content.head)
                log?.failed(error)
                // A link that takes failures takes its own first.
                _ = try? link.onFailure?(error.with(content.errorEntity))
                return nextStep(at: position) {
                    $0.fail(withThrown: error, isReceived: link.onFailure != nil)
                }
            }
        case .readErrorBody(let body):
            let entity = body.making(.entity).errorEntity
            return nextStep(at: position) { $0.finishReadingErrorBody(entity) }
        case .fail(let handle, let error):
            do {
                guard let entity = try handle(error) else { return nextStep(at: position) }
                let content = ResponseContent(
                    recovered: entity, url: URL(string: request.urlString), plan)
                return nextStep(at: position) { $0.recover(with: content) }
            } catch {
                let error = ServiceError(thrown: error, request: request)
                return nextStep(at: position) { $0.failRecovering(error) }
            }
        }
    }

    /// Runs the parsers whose run was put off, and tells the log of them.
    private func make(_ need: ResponseContent.Need, of content: ResponseContent) -> ResponseContent {
        guard let log, let parser = content.parser(for: need) else { return content.making(need) }
        let start = ContinuousClock.now
        let made = content.making(need)
        if let result = made.result(of: need) {
            log.ran(
                parser, in: PipelineStageKey.parsing.description, for: ContinuousClock.now - start, result)
        }
        return made
    }

    private func nextStep(at position: ChainPosition) -> HandlerChain.Step {
        core.withLock { $0.chain.nextStep(at: position) }
    }

    private func nextStep(
        at position: ChainPosition, after change: (inout HandlerChain) -> Void
    ) -> HandlerChain.Step {
        core.withLock { core in
            // Returned, so that an object of the app's in it ends outside the lock.
            let replaced = core.chain.outcome
            change(&core.chain)
            return (core.chain.nextStep(at: position), replaced)
        }.0
    }
}
