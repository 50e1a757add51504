import Foundation

extension ServiceTask {
    @discardableResult
    func attach(_ link: HandlerLink) -> Self {
        // This check comes first, because a step is a large value, and usually the chain can't advance yet.
        let canAdvance = core.withLock { core in
            core.chain.attach(link)
            return core.chain.canAdvance
        }
        if canAdvance { takeSteps(from: core.withLock { $0.chain.firstStep(on: nil) }, on: nil) }
        return self
    }

    func nextTicket() -> HandlerChain.Ticket {
        core.withLock { $0.chain.nextTicket() }
    }

    /// Removes an `await` from the chain, and cancels the request unless other handlers wait for the response.
    func abandon(_ ticket: HandlerChain.Ticket, _ resume: @escaping @Sendable () -> Void) {
        var abandoned: HandlerLink?
        var hasFailed = false
        let error = ServiceError(.cancelled, request: request)
        update { core in
            abandoned = core.chain.detach(ticket)
            if abandoned != nil, core.chain.isUnwanted {
                hasFailed = core.failChain(with: error, evenAfterResponse: false)
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
    }

    func detach(_ ticket: HandlerChain.Ticket) {
        let link = core.withLock { $0.chain.detach(ticket) }
        withExtendedLifetime(link) {}
    }

    func resumeIfCreated() {
        if core.withLock({ $0.exchange.isNotSent }) { resume() }
    }

    func advance(on place: HandlerChain.Place?) {
        takeSteps(from: nextStep(on: place), on: place)
    }

    func takeSteps(from first: consuming HandlerChain.Step, on place: HandlerChain.Place?) {
        var step = first
        while true {
            switch consume step {
            case .idle: return
            case .move(to: let queue): return move(to: queue)
            case .handOver(let ticket, let resumeAwait):
                // If the `await` no longer waits, a worker advances the chain in its place.
                if !resumeAwait() { DispatchQueue.parsing.async { self.advance(on: .awaiter(ticket)) } }
                return
            case .skip: step = nextStep(on: place)
            case .runPipeline(let adapter):
                let result = runPipeline(adapter)
                step = changeChain(on: place) { $0.outcome.finishPipeline(with: result) }
            case .prepare(let adapter, let need):
                let prepared = prepare(adapter, for: need)
                step = changeChain(on: place) { $0.outcome.replaceAdapter(with: prepared) }
            case .read(let read, let adapter): step = callFirstHalf(read, adapter, on: place)
            case .succeed(let link, let adapter): step = callSuccessHandler(of: link, adapter, on: place)
            case .readErrorBody(let body):
                let entity = body.prepared(for: .entity).errorEntity
                step = changeChain(on: place) { $0.outcome.finishReadingErrorBody(entity) }
            case .fail(let handle, let error): step = callFailureHandler(handle, error, on: place)
            }
        }
    }

    private func move(to queue: DispatchQueue) {
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

    private func callFirstHalf(
        _ read: HandlerLink.SuccessHandler, _ adapter: PipelineAdapter, on place: HandlerChain.Place?
    ) -> HandlerChain.Step {
        do {
            let deliver = try read(adapter)
            return changeChain(on: place) { $0.finishReading(deliver ?? { nil }) }
        } catch {
            // The link is still first in the chain, so it receives this failure if it handles failures.
            let error = failure(thrown: error, after: adapter.head)
            log?.failed(error)
            return changeChain(on: place) { $0.outcome.failHandler(with: error, isReceived: false) }
        }
    }

    private func callFailureHandler(
        _ handle: HandlerLink.FailureHandler, _ error: ServiceError, on place: HandlerChain.Place?
    ) -> HandlerChain.Step {
        do {
            guard let entity = try handle(error) else { return nextStep(on: place) }
            let recovered = adapter(recovered: entity)
            return changeChain(on: place) { $0.outcome.recover(with: recovered) }
        } catch {
            let error = failure(thrown: error)
            log?.failed(error)
            return changeChain(on: place) { $0.outcome.failRecovering(with: error) }
        }
    }

    private func callSuccessHandler(
        of link: HandlerLink, _ adapter: PipelineAdapter, on place: HandlerChain.Place?
    ) -> HandlerChain.Step {
        do {
            guard let content = try link.onSuccess?(adapter)?() else { return nextStep(on: place) }
            let replaced = adapter.replacing(content)
            return changeChain(on: place) { $0.outcome.replaceAdapter(with: replaced) }
        } catch {
            let error = failure(thrown: error, after: adapter.head)
            log?.failed(error)
            // A link that handles failures receives its own failure first.
            _ = try? link.onFailure?(error.with(adapter.errorEntity))
            let isReceived = link.onFailure != nil && link.receivesFailure
            return changeChain(on: place) { $0.outcome.failHandler(with: error, isReceived: isReceived) }
        }
    }

    func adapter(recovered entity: Entity<any Sendable>) -> PipelineAdapter {
        PipelineAdapter(
            .recovered(entity, url: URL(string: request.urlString), encoding: request.jsonEncoding), plan,
            PipelineResults(output: entity))
    }

    private func prepare(_ adapter: PipelineAdapter, for need: PipelineAdapter.Need) -> PipelineAdapter {
        guard let log, let parser = adapter.parser(for: need) else { return adapter.prepared(for: need) }
        let start = ContinuousClock.now
        let prepared = adapter.prepared(for: need)
        if let result = prepared.result(of: need) {
            log.ran(
                parser, in: PipelineStageKey.parsing.description, for: ContinuousClock.now - start, result)
        }
        return prepared
    }

    func failure(thrown error: any Error, after head: HTTPURLResponse? = nil) -> ServiceError {
        ServiceError(thrown: error, request: request, response: head)
            .after(core.withLock { $0.exchange.attempt.sent })
    }

    private func nextStep(on place: HandlerChain.Place?) -> HandlerChain.Step {
        core.withLock { $0.chain.nextStep(on: place) }
    }

    private func changeChain(
        on place: HandlerChain.Place?, _ change: (inout HandlerChain) -> Void
    ) -> HandlerChain.Step {
        core.withLock { core in
            // Releases the app's objects in the replaced outcome outside the lock.
            let replaced = core.chain.outcome
            change(&core.chain)
            return (core.chain.nextStep(on: place), replaced)
        }.0
    }
}

extension ServiceTask {
    func runPipeline(_ adapter: PipelineAdapter) -> Result<PipelineAdapter, ServiceError> {
        let start = adapter.unprocessedResults
        let results =
            if let caching, caching.storesResponse, let response = adapter.response {
                storingResults(of: response, caching) { plan.run(start, observer: observer, didRun: $0) }
            } else {
                plan.run(start, observer: observer)
            }
        guard case .success(let entity)? = results.output else {
            let error = describing(results.failure ?? ServiceError(.invalidResponse), adapter.response)
            // Caches that were read have logged their own events.
            if error.reason != .notCached || caching == nil { log?.failed(error) }
            return .failure(error)
        }
        return .success(
            adapter.response.map { PipelineAdapter(.received($0), plan, results) }
                ?? self.adapter(recovered: entity))
    }

    func describing(_ error: ServiceError, _ response: ReceivedResponse?) -> ServiceError {
        var error = error.after(core.withLock { $0.exchange.attempt.sent })
        error.request = error.request ?? request
        error.response = error.response ?? response?.head
        error.entity = error.entity ?? response?.entity
        return error
    }

    var observer: PipelinePlan.Observer? {
        guard let log else { return nil }
        return { stage, transformer, duration, output in
            log.ran(transformer, in: stage, for: duration, output)
        }
    }
}
