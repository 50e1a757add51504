import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Collects the response's body in memory or writes it to a sink, as ``BodyDestination`` decides.
extension ServiceTask {
    /// Sets the sink of the body, at any time. If it is too late for the sink to receive body parts, the handler chain
    /// passes the collected body to it.
    ///
    /// - Parameter queue: The queue on which the sink receives a collected body.
    /// - Throws: `.invalidRequest` if the body had a sink before.
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
        if sink.flow == .pause { holdBody() }
    }

    /// Passes the collected body to the sink, if the sink received no body parts.
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
        core.withLock { core in core.extras?.body?.takeLateSink() }
    }

    /// Adds a waiter for the head of a success, unless the task has completed.
    func watchHead(_ waiter: @escaping BodyDestination.HeadWaiter) {
        let (head, accepted): (HTTPURLResponse?, Exchange.AcceptedHead?) = core.withLock { core in
            core.chain.isPending ? core.withBody { $0.wait(waiter) } : (nil, nil)
        }
        if let head { waiter(head) }
        deliverParts(after: accepted)
    }

    /// Makes the transfer deliver the body in parts.
    ///
    /// - Parameter accepted: The head, if it was accepted before the body was wanted in parts.
    private func deliverParts(after accepted: Exchange.AcceptedHead?) {
        var accepted = accepted
        while let (head, number) = accepted, !beginBody(after: head.response, of: number) {
            // The response has failed, and another one may have been accepted in its place.
            accepted = core.withLock { $0.headBeforeParts() }
        }
        updateTransfer()
    }

    /// Pauses the transfer while the sink is full. Otherwise, resumes it, unless the caller has suspended the task.
    ///
    /// - Parameter onTransferThread: Whether this is a transfer's thread, on which no code of the app runs.
    func holdBody(onTransferThread: Bool = false) {
        let isFull = core.withLock { core in
            // Read under this lock, so that of two concurrent calls, the later one stores the current state.
            core.exchange.setSinkFull(core.extras?.body?.flow == .pause)
            return core.exchange.isSinkFull
        }
        if !isFull { restartIdleTimeout(onTransferThread: onTransferThread) }
        updateTransfer()
    }

    /// Restarts the timeout for the next byte.
    func restartIdleTimeout(onTransferThread: Bool = false) {
        if request.timeout == nil { return }
        if onTransferThread, mustLeaveTransferThread, surroundings?.clock != nil {
            return leaveTransferThread { self.restartIdleTimeout() }
        }
        let now = now
        core.withLock { $0.extras?.body?.noteActivity(now) }
    }

    /// Fails the task with an error that doesn't go through the pipeline, unless the task has completed.
    ///
    /// - Parameter onTransferThread: Whether this is a transfer's thread, on which the app's log isn't called.
    func failBody(with error: ServiceError, onTransferThread: Bool = false) {
        var hasFailed = false
        var error = error
        update { core in
            error.response = error.response ?? core.extras?.body?.head
            hasFailed = core.exchange.complete()
            if hasFailed { core.chain.outcome.fail(with: error.after(core.exchange.attempt.sent)) }
        }
        guard hasFailed, let log else { return }
        let failure = error
        if onTransferThread { leaveTransferThread { log.failed(failure) } } else { log.failed(failure) }
    }
}

extension ServiceTask.Core {
    /// Changes the body's destination, which is created if there is none.
    ///
    /// - Returns: The result of the change, and the head if it was accepted before the body was wanted in parts.
    fileprivate mutating func withBody<Result>(
        _ change: (inout BodyDestination) -> Result
    ) -> (Result, Exchange.AcceptedHead?) {
        let extras = neededExtras
        let isNew = extras.body == nil
        var body = extras.body.take() ?? BodyDestination()
        defer { extras.body = body }
        return (change(&body), isNew ? headBeforeParts() : nil)
    }

    /// Returns the head that was accepted before the body is delivered in parts. If there is none, the body is delivered
    /// in parts from now on. Otherwise, it has to begin before a body part may arrive.
    fileprivate mutating func headBeforeParts() -> Exchange.AcceptedHead? {
        if exchange.accepted == nil { exchange.deliverParts() }
        return exchange.accepted
    }

    /// Completes the body together with the task. Returns `nil` if the body has no destination.
    mutating func endBody() -> BodyDestination.Rest? {
        switch chain.outcome {
        case .failure(let failure): extras?.body?.end(with: failure.error)
        case .received(let input): extras?.body?.end(with: input.error)
        case .pending, .success: extras?.body?.end(with: nil)
        }
    }
}

// MARK: - Receiving

extension ServiceTask {
    /// Begins the body after an accepted head.
    ///
    /// - Parameter number: The number of the transfer, if it doesn't deliver body parts yet. From here on, it does.
    /// - Returns: `false` if this response is no longer the accepted one, so that its body doesn't begin.
    @discardableResult
    func beginBody(after head: HTTPURLResponse, of number: Int? = nil) -> Bool {
        let (isConfirming, sink) = core.withLock { core in
            (core.extras?.caching?.isConfirmed(by: head) ?? false, core.extras?.body?.sink)
        }
        let isSuccess =
            !isConfirming && request.acceptableStatusCodes.contains(head.statusCode)
            && request.contentTypeError(
                of: ResponseHead(head), hasContent: head.mayHaveContent(for: request.method)) == nil
        let acceptsSink = sink?.accepts(head, isSuccess: isSuccess) ?? isSuccess
        let begun = core.withLock { core -> (waiters: [BodyDestination.HeadWaiter], isStreaming: Bool)? in
            if let number {
                guard core.exchange.accepted?.number == number else { return nil }
                core.exchange.deliverParts()
            }
            let owner = SinkOwner(task: self)
            let waiters = core.extras?.body?.begin(after: head, acceptsSink: acceptsSink, owner) ?? []
            return (waiters, core.extras?.body?.isStreaming ?? false)
        }
        guard let (waiters, isStreaming) = begun else { return false }
        for waiter in waiters { waiter(head) }
        if isStreaming {
            forgetWritten(head)
            if sink?.flow == .pause { holdBody(onTransferThread: true) }
        }
        // No sink can receive this body, and it doesn't fit into memory.
        if !acceptsSink, head.expectedContentLength > dataSource.maximumBodySize,
            head.mayHaveContent(for: request.method)
        {
            failTooLong()
        }
        return true
    }

    /// Fails the task because its body is too long for memory.
    private func failTooLong() {
        let error = ResponseSize.error(over: dataSource.maximumBodySize, url: URL(string: request.urlString))
        failBody(with: ServiceError(transport: error, request: request), onTransferThread: true)
    }

    /// Collects a body part, or passes it to the sink.
    func deliverBodyPart(_ bodyPart: Data) {
        restartIdleTimeout(onTransferThread: true)
        let reception = core.withLock { core in
            core.extras?.body?.add(bodyPart, limit: dataSource.maximumBodySize) ?? .done
        }
        switch reception {
        case .done: break
        case .tooLong: failTooLong()
        case .pass(let sink): if sink.receive(bodyPart) == .pause { holdBody(onTransferThread: true) }
        }
    }

    /// Receives the end of a body that may have arrived in parts.
    ///
    /// - Returns: The body, unless a sink has received it.
    func completeBody(_ head: HTTPURLResponse, _ bytes: Data?) -> Data? {
        beginBody(after: head)
        if let bytes { deliverBodyPart(bytes) }
        let (completion, byteCount) = core.withLock { core in
            (core.extras?.body?.complete() ?? .none, core.extras?.body?.byteCount ?? 0)
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

    /// Informs the sink that the task has failed. When the sink has removed its files, the handler chain continues.
    func failSink(_ sink: any BodySink, with error: ServiceError) {
        sink.fail(with: error) { self.advance(on: nil) }
    }

    /// Completes the task with the sink's result.
    private func completeTask(_ head: HTTPURLResponse, _ result: Result<Entity<any Sendable>, ServiceError>) {
        switch result {
        case .success(let entity):
            var entity = entity
            entity.timestamp = now
            noteDownloaded()
            let content = PipelineAdapter(claimed: head, entity, plan)
            update { core in
                _ = core.exchange.complete()
                core.chain.outcome.completeTransfer(with: content)
            }
        case .failure(let error):
            failBody(with: ServiceError(thrown: error, request: request, response: head))
        }
    }
}

extension HTTPURLResponse {
    /// Whether a body may follow (RFC 9110 §6.4.1).
    fileprivate func mayHaveContent(for method: Request.Method) -> Bool {
        method != .HEAD && statusCode != 204 && statusCode != 304 && expectedContentLength != 0
    }
}
