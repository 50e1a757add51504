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
        if starts { advance(on: nil) }
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
    func advance(on queue: DispatchQueue?) {
        var step = nextStep(on: queue)
        while true {
            switch step {
            case .idle: return
            case .hop(let target): return target.async { self.advance(on: target) }
            default: step = take(step, on: queue)
            }
        }
    }

    /// Carries out a step without the lock, and decides on the next one.
    private func take(_ step: HandlerChain.Step, on queue: DispatchQueue?) -> HandlerChain.Step {
        switch step {
        case .idle, .hop, .skip:
            return nextStep(on: queue)
        case .process(let arrival):
            let result = process(arrival)
            return nextStep(on: queue) { $0.finishProcessing(result) }
        case .prepare(let content, let need):
            let prepared = prepare(content, for: need)
            return nextStep(on: queue) { $0.finishPreparing(prepared) }
        case .succeed(let link, let content):
            do {
                try link.onSuccess?(content)
                return nextStep(on: queue)
            } catch {
                return fail(
                    link, ServiceError(thrown: error, request: request, response: content.response), on: queue
                )
            }
        case .readErrorBody(let body):
            let entity = body.errorEntity()
            return nextStep(on: queue) { $0.finishReadingErrorBody(entity) }
        case .fail(let link, let error):
            do {
                guard let entity = try link.onFailure?(error) else { return nextStep(on: queue) }
                let content = ContentAdapter(recovered: entity, url: URL(string: request.urlString))
                return nextStep(on: queue) { $0.recover(with: content) }
            } catch {
                let error = ServiceError(thrown: error, request: request)
                return nextStep(on: queue) { $0.failRecovering(error) }
            }
        }
    }

    /// Has the parsers run whose run was put off, and tells the log of them.
    private func prepare(_ content: ContentAdapter, for need: ContentAdapter.Need) -> ContentAdapter {
        guard let log, let parser = content.parser(for: need) else { return content.prepared(for: need) }
        let start = ContinuousClock.now
        let prepared = content.prepared(for: need)
        if let result = prepared.result(of: need) {
            log.ran(
                parser, in: PipelineStageKey.parsing.description, for: ContinuousClock.now - start, result)
        }
        return prepared
    }

    /// Fails the chain with what a link's success handler threw; a link that takes failures takes this one first.
    private func fail(
        _ link: HandlerLink, _ error: ServiceError, on queue: DispatchQueue?
    ) -> HandlerChain.Step {
        log?.failed(error)
        _ = try? link.onFailure?(error)
        return nextStep(on: queue) { $0.fail(withThrown: error, isReceived: link.onFailure != nil) }
    }

    private func nextStep(on queue: DispatchQueue?) -> HandlerChain.Step {
        core.withLock { $0.chain.nextStep(on: queue) }
    }

    private func nextStep(
        on queue: DispatchQueue?, after change: (inout HandlerChain) -> Void
    ) -> HandlerChain.Step {
        core.withLock { core in
            // Returned, so that an object of the app's in it ends outside the lock.
            let replaced = core.chain.outcome
            change(&core.chain)
            return (core.chain.nextStep(on: queue), replaced)
        }.0
    }
}
