import Foundation

extension ServiceTask {
    /// Delivers the body to a sink in parts. If it is too late for that, a link on `queue` delivers the complete body.
    func writeBody(to sink: any BodySink, on queue: DispatchQueue = .userInitiated) throws(ServiceError) {
        let (isSet, accepted) = core.withLock { core in
            core.withBody { $0.setSink(sink, of: SinkOwner(task: self)) }
        }
        guard isSet else {
            throw ServiceError(
                .invalidRequest,
                detail: "a loop, a handler or a download already receives the response's body",
                request: request)
        }
        attach(
            HandlerLink(queue, .bytes, receivesFailure: sink.receivesFailure) { [weak self] reader in
                try self?.passCollectedBody(of: reader)
                return nil
            } onFailure: { [weak self] error in
                self?.takeLateSink()?.fail(with: error)
                return nil
            })
        deliverParts(after: accepted)
        if sink.flow == .pause { updateSinkFlow() }
    }

    private func passCollectedBody(of reader: PipelineAdapter) throws {
        guard let sink = takeLateSink() else { return }
        do {
            let (head, bytes) = try reader.headAndBytes()
            try sink.receiveCollectedBody(bytes, after: head)
        } catch {
            let error = failure(thrown: error, after: reader.head)
            sink.fail(with: error)
            throw error
        }
    }

    private func takeLateSink() -> (any BodySink)? {
        core.withLock { core in core.rareState?.body?.takeLateSink() }
    }

    func watchHead(_ waiter: @escaping BodyDestination.HeadWaiter) {
        let (head, accepted): (HTTPURLResponse?, Exchange.AcceptedHead?) = core.withLock { core in
            core.chain.outcome.isPending ? core.withBody { $0.wait(waiter) } : (nil, nil)
        }
        if let head { waiter(head) }
        deliverParts(after: accepted)
    }

    private func deliverParts(after accepted: Exchange.AcceptedHead?) {
        var accepted = accepted
        while let (head, number) = accepted, !beginBody(after: head.response, of: number) {
            accepted = core.withLock { $0.headBeforeParts() }
        }
        updateTransfer()
    }

    /// Pauses the receiving side of the transfer if the sink is full. Otherwise, resumes it, unless the caller has
    /// suspended the task.
    func updateSinkFlow(onTransferThread: Bool = false) {
        let isFull = core.withLock { core in
            core.exchange.setSinkFull(core.isSinkFull)
            return core.exchange.isSinkFull
        }
        if !isFull { restartIdleTimeout(onTransferThread: onTransferThread) }
        updateTransfer()
    }

    func restartIdleTimeout(onTransferThread: Bool = false) {
        if request.timeout == nil { return }
        if onTransferThread, mustLeaveTransferThread, context?.clock != nil {
            return leaveTransferThread { self.restartIdleTimeout() }
        }
        let now = now
        core.withLock { $0.rareState?.body?.noteActivity(now) }
    }

    /// Fails a task that isn't complete, without running the pipeline.
    func failBody(with error: ServiceError, onTransferThread: Bool = false) {
        var hasFailed = false
        var error = error
        update { core in
            error.response = error.response ?? core.rareState?.body?.head
            hasFailed = core.failChain(with: error, evenAfterResponse: false)
        }
        guard hasFailed, let log else { return }
        let failure = error
        if onTransferThread { leaveTransferThread { log.failed(failure) } } else { log.failed(failure) }
    }
}

extension TaskCore {
    /// Stored in the exchange in the same change, so that the later one of two changes stores the current state.
    fileprivate var isSinkFull: Bool { rareState?.body?.flow == .pause }

    fileprivate mutating func withBody<Result>(
        _ change: (inout BodyDestination) -> Result
    ) -> (Result, Exchange.AcceptedHead?) {
        let rareState = neededRareState
        let isNew = rareState.body == nil
        var body = rareState.body.take() ?? BodyDestination()
        defer { rareState.body = body }
        return (change(&body), isNew ? headBeforeParts() : nil)
    }

    /// Returns a head that was already accepted, with which the caller begins the body. Otherwise requests body parts.
    fileprivate mutating func headBeforeParts() -> Exchange.AcceptedHead? {
        if exchange.accepted == nil { exchange.deliverParts() }
        return exchange.accepted
    }
}

extension ServiceTask {
    /// Begins the body. With `number`, that transfer then delivers parts. `false` if it was replaced or is over.
    @discardableResult
    func beginBody(after head: HTTPURLResponse, of number: Int? = nil) -> Bool {
        let (isConfirming, sink) = core.withLock { core in
            (core.rareState?.caching?.isConfirmed(by: head) ?? false, core.rareState?.body?.sink)
        }
        let isSuccess =
            !isConfirming
            && request.accepts(ResponseHead(head), hasContent: head.mayHaveContent(for: request.method))
        let acceptsSink = sink?.accepts(head, isSuccess: isSuccess) ?? isSuccess
        let begun = core.withLock { core -> (waiters: [BodyDestination.HeadWaiter], isStreaming: Bool)? in
            if let number {
                guard core.exchange.accepted?.number == number else { return nil }
                core.exchange.deliverParts()
            }
            let owner = SinkOwner(task: self)
            let waiters = core.rareState?.body?.begin(after: head, acceptsSink: acceptsSink, owner) ?? []
            return (waiters, core.rareState?.body?.isStreaming ?? false)
        }
        guard let (waiters, isStreaming) = begun else { return false }
        for waiter in waiters { waiter(head) }
        if isStreaming, sink?.flow == .pause { updateSinkFlow(onTransferThread: true) }
        // The body would be collected in memory, and is too large for it.
        if !acceptsSink, head.expectedContentLength > dataSource.maximumBodySize,
            head.mayHaveContent(for: request.method)
        {
            failTooLong()
        }
        return true
    }

    private func failTooLong() {
        let error = ResponseSize.error(over: dataSource.maximumBodySize, url: URL(string: request.urlString))
        failBody(with: ServiceError(transport: error, request: request), onTransferThread: true)
    }

    func receiveBodyPart(_ bodyPart: Data, from number: Int) -> Flow {
        if withExchange({ !$0.takesBodyParts(from: number) }) { return .more }
        deliverBodyPart(bodyPart)
        return core.withLock { $0.exchange.flowAfterPart(from: number, isSinkFull: $0.isSinkFull) }
    }

    private func deliverBodyPart(_ bodyPart: Data) {
        restartIdleTimeout(onTransferThread: true)
        let reception = core.withLock { core in
            core.rareState?.body?.add(bodyPart, limit: dataSource.maximumBodySize) ?? .done
        }
        switch reception {
        case .done: break
        case .tooLong: failTooLong()
        case .pass(let sink): sink.receive(bodyPart)
        }
    }

    func completeBody(_ head: HTTPURLResponse, _ bytes: Data?) -> Data? {
        beginBody(after: head)
        if let bytes { deliverBodyPart(bytes) }
        let (completion, byteCount) = core.withLock { core in
            (core.rareState?.body?.complete() ?? .none, core.rareState?.body?.byteCount ?? 0)
        }
        switch completion {
        case .collected(let body): return body
        case .none: return nil
        case .sink(let sink):
            log?.received(head, byteCount: byteCount, metrics: metrics)
            noteWrite(ResponseHead(head))
            sink.complete { result in self.completeTask(head, result) }
            return nil
        }
    }

    private func completeTask(_ head: HTTPURLResponse, _ result: Result<Entity<any Sendable>, ServiceError>) {
        switch result {
        case .success(let entity):
            var entity = entity
            entity.timestamp = now
            end(with: PipelineAdapter(written: head, entity, plan))
        case .failure(let error):
            failBody(with: ServiceError(thrown: error, request: request, response: head))
        }
    }
}

extension HTTPURLResponse {
    fileprivate func mayHaveContent(for method: Request.Method) -> Bool {
        method != .HEAD && statusCode != 101 && statusCode != 204 && statusCode != 304
            && expectedContentLength != 0
    }
}
