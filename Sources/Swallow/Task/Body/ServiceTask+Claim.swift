import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Gives the response's body to a sink instead of memory, as ``BodyClaim`` decides.
extension ServiceTask {
    /// Gives the body to a sink, at any time. A sink that comes too late for parts gets the whole body in the handler chain.
    ///
    /// - Parameter queue: where the sink gets a body that didn't come in parts.
    /// - Throws: `.invalidRequest` if it was claimed before.
    func claim(_ sink: any BodySink, on queue: DispatchQueue = .userInitiated) throws(ServiceError) {
        let (isClaimed, unstreamed) = core.withLock { core in
            core.withBody { $0.claim(sink) }
        }
        guard isClaimed else {
            throw ServiceError(
                .invalidRequest, detail: "the response's body goes elsewhere already", request: request)
        }
        attach(
            HandlerLink(queue, .bytes, receivesFailure: sink.receivesFailure) { [weak self] reader in
                try self?.serve(reader)
                return nil
            } onFailure: { [weak self] error in
                self?.takeUnservedSink()?.fail(error)
                return nil
            })
        if let (carrier, hop) = unstreamed { stream(carrier, of: hop) }
        carryOutBody()
    }

    /// Gives the sink the whole body in the handler chain, if it got no parts.
    private func serve(_ reader: ContentReader) throws {
        guard let sink = takeUnservedSink() else { return }
        do {
            let (head, bytes) = try reader.headAndBytes()
            try sink.receiveCollectedBody(bytes, after: head)
        } catch {
            let error = failure(thrown: error, after: reader.content.head)
            sink.fail(error)
            throw error
        }
    }

    private func takeUnservedSink() -> (any BodySink)? {
        core.withLock { core in core.extras?.body?.takeUnserved() }
    }

    /// Adds a waiter for the head of a success, unless the task has ended.
    func watchHead(_ waiter: @escaping BodyClaim.HeadWaiter) {
        let (head, unstreamed): (HTTPURLResponse?, (any DataTask, Int)?) = core.withLock { core in
            core.chain.isPending ? core.withBody { $0.wait(waiter) } : (nil, nil)
        }
        if let head { waiter(head) }
        if let (carrier, hop) = unstreamed { stream(carrier, of: hop) }
    }

    /// Pauses the transfer while the sink is full. Otherwise, resumes it, unless the caller has suspended the task.
    func holdBody() {
        let isHeld = core.withLock { core in
            // Read under this lock, so that of two concurrent calls, the later one stores the current state.
            core.exchange.control.hold(core.extras?.body?.sink?.flow == .pause)
            return core.exchange.control.isHeld
        }
        if !isHeld { noteBodyMayGoOn() }
        sendSignals()
    }

    /// Restarts the timeout for the next byte.
    func noteBodyMayGoOn() {
        if request.timeout == nil { return }
        let now = now
        core.withLock { $0.extras?.body?.noteActivity(now) }
    }

    /// Ends the transfer with an error that bypasses the pipeline; only the first end counts.
    ///
    /// - Parameter cancelling: whether to cancel the data task; false where it has ended by itself.
    func failBody(with error: ServiceError, cancelling: Bool = true) {
        var hasFailed = false
        var error = error
        update { core in
            error.response = error.response ?? core.extras?.body?.head
            hasFailed = core.exchange.control.end(cancelling: cancelling)
            if hasFailed { core.chain.fail(with: error.after(core.exchange.attempt.sent)) }
        }
        if hasFailed { log?.failed(error) }
    }
}

extension ServiceTask.Core {
    /// Changes the body's claim; makes one if there is none.
    ///
    /// - Returns: the change's result, and the carrier to tell to stream, with the number of its hop.
    fileprivate mutating func withBody<Result>(
        _ change: (inout BodyClaim) -> Result
    ) -> (Result, (any DataTask, Int)?) {
        let extras = neededExtras
        let isNew = extras.body == nil
        var claim = extras.body.take() ?? BodyClaim()
        defer { extras.body = claim }
        return (change(&claim), isNew ? exchange.stream() : nil)
    }

    /// Tells the sink how the task has ended.
    ///
    /// - Returns: the waiters, to be released outside the lock; nil where there is no claim.
    mutating func endBody() -> [BodyClaim.HeadWaiter]? {
        switch chain.outcome {
        case .failure(let failure): extras?.body?.end(with: failure.error)
        case .received(let input): extras?.body?.end(with: input.error)
        case .pending, .success: extras?.body?.end(with: nil)
        }
    }
}

// MARK: - Receiving

extension ServiceTask {
    /// Takes a part of an accepted response.
    func receive(_ part: ResponsePart) {
        switch part {
        case .head(let head):
            noteBodyMayGoOn()
            receive(head)
        case .bytes(let bytes): receive(bytes)
        }
        carryOutBody()
    }

    private func receive(_ head: HTTPURLResponse) {
        let (isConfirming, sink) = core.withLock { core in
            (core.extras?.caching?.isConfirmed(by: head) ?? false, core.extras?.body?.sink)
        }
        let isSuccess =
            !isConfirming && request.acceptableStatusCodes.contains(head.statusCode)
            && request.contentTypeError(
                of: ResponseHead(head), hasContent: head.mayHaveContent(for: request.method)) == nil
        let isFree = sink?.accepts(head, isSuccess: isSuccess) ?? isSuccess
        let waiters = core.withLock { $0.extras?.body?.receive(head, isFree: isFree) ?? [] }
        for waiter in waiters { waiter(head) }
        // No sink can claim this body any more, and it won't fit into memory.
        if !isFree, head.expectedContentLength > dataSource.maximumBodySize,
            head.mayHaveContent(for: request.method)
        {
            failSize()
        }
    }

    /// Ends the task for a body that is too long for memory.
    private func failSize() {
        let error = ResponseSize.error(over: dataSource.maximumBodySize, url: URL(string: request.urlString))
        failBody(with: ServiceError(transport: error, request: request))
    }

    private func receive(_ bytes: Data) {
        let now = request.timeout == nil ? nil : now
        let fits = core.withLock { core in
            if let now { core.extras?.body?.noteActivity(now) }
            return core.extras?.body?.receive(bytes, limit: dataSource.maximumBodySize) ?? true
        }
        if !fits { failSize() }
    }

    /// Takes the end of a body that may have come in parts.
    ///
    /// - Returns: the body, unless a sink has it.
    func completeBody(_ head: HTTPURLResponse, _ bytes: Data?) -> Data? {
        receive(head)
        if let bytes { receive(bytes) }
        let (whole, byteCount) = core.withLock { core in
            let extras = core.extras
            return (extras?.body?.complete(), extras?.body?.byteCount ?? 0)
        }
        if whole == nil, core.withLock({ !$0.exchange.control.hasEnded }) {
            log?.received(head, byteCount: byteCount, metrics: metrics)
            noteWrite(ResponseHead(head))
        }
        carryOutBody()
        return whole
    }

    /// Makes the calls to the sink that are due, unless another thread is making them.
    func carryOutBody() {
        var isCarrier = false
        while let step = core.withLock({ $0.extras?.body?.nextStep(isCarrier: isCarrier) }) {
            isCarrier = true
            switch step {
            case .begin(let sink, let head):
                forgetWritten(head)
                do throws(ServiceError) {
                    try sink.begin(head, for: SinkOwner(task: self))
                    if sink.flow == .pause { holdBody() }
                } catch {
                    core.withLock { $0.extras?.body?.refuse() }
                    failBody(with: ServiceError(thrown: error, request: request, response: head))
                }
            case .receive(let sink, let bytes): if sink.receive(bytes) == .pause { holdBody() }
            case .finish(let sink, let head): sink.complete { result in self.finishBody(head, result) }
            case .fail(let sink, let error): sink.fail(error) { self.advance(on: nil) }
            }
        }
    }

    /// Ends the task with the sink's result.
    private func finishBody(_ head: HTTPURLResponse, _ result: Result<Entity<any Sendable>, ServiceError>) {
        switch result {
        case .success(let entity):
            var entity = entity
            entity.timestamp = now
            noteDownloaded()
            let content = ResponseContent(claimed: head, entity, plan)
            update { core in
                _ = core.exchange.control.end(cancelling: false)
                core.chain.receive(content)
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
