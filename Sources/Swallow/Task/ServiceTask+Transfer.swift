import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends the request through the data source, and receives its response.
extension ServiceTask {
    /// Encodes the request, runs the configured adapters, which may be async, and sends the request.
    func start() {
        do throws(ServiceError) {
            var encoded = try request.encoded()
            request.retry.addIdempotencyKey(to: &encoded)
            if !mayEndBeforeSending { keepCaller() }
            if let timeout = request.timeout {
                startDeadline(timeout)
                if request.retry.isInUse {
                    let end = now.addingTimeInterval(timeout.seconds)
                    core.withLock { $0.exchange.attempt.end = end }
                }
            }
            if request.adaptsLater { return adapt(encoded) }
            if !request.adapters.isEmpty { encoded = try request.adapted(encoded) }
            begin(encoded)
        } catch {
            end(with: PipelineAdapter(failure: error, plan))
        }
    }

    /// Runs the configured async adapters, then sends the request.
    private func adapt(_ urlRequest: URLRequest) {
        let adaptation = Caller.startTask(for: nil) { [self] in
            do throws(ServiceError) {
                let adapted = try await request.adaptedLater(urlRequest)
                if !core.withLock({ $0.exchange.isComplete }) { begin(adapted) }
            } catch {
                end(with: PipelineAdapter(failure: error, plan))
            }
        }
        core.withLock { $0.keep(adaptation, as: \.adaptation) }.cancelIfUnneeded()
    }

    private func begin(_ urlRequest: consuming URLRequest) {
        log?.built(urlRequest, form: request.multipartForm)
        if plan.hasCaches { beginWithCredential(urlRequest) } else { sendWithoutCaches(urlRequest) }
    }

    /// Sends a request without reading caches. Fails with `.notCached` if only caches may be read.
    func sendWithoutCaches(_ urlRequest: consuming URLRequest) {
        if request.cachePolicy == .onlyCache {
            return end(with: PipelineAdapter(failure: .notCached(request), plan))
        }
        guard let validators, let asking = validators.asked(by: urlRequest) else { return send(urlRequest) }
        send(asking, asking: validators)
    }

    /// Hands a request to the data source.
    ///
    /// - Parameter validators: The validators of the stored response that the request validates, if any.
    func send(_ urlRequest: consuming URLRequest, asking validators: Validators? = nil) {
        if isSentAtOnce {
            // Only the timeout can have completed the task before this.
            if request.timeout != nil, core.withLock({ $0.exchange.isComplete }) { return }
            log?.sent()
            return begin(urlRequest, number: 0)
        }
        let (hasEnded, sink) = core.withLock { core in
            if let validators { core.exchange.attempt.ask(by: validators.of(urlRequest.url)) }
            return (core.exchange.isComplete, core.extras?.body?.sink)
        }
        if hasEnded { return }
        if let download = sink as? DownloadSink { return open(download, for: urlRequest) }
        sink?.prepare(&urlRequest)
        sendFirst(urlRequest)
    }

    /// Starts the timer for the request's timeout.
    ///
    /// - Parameter period: The delay until the check. It is `nil` for the complete timeout.
    func startDeadline(_ timeout: Duration, after period: Duration? = nil) {
        let deadline = clock.schedule(after: period ?? timeout) { [weak self] in
            guard let self else { return }
            let now = now
            let idleTime = core.withLock { core in
                core.extras?.body?.idleTime(
                    leftOf: timeout, now,
                    isPaused: core.exchange.isPaused)
            }
            // A shorter remainder may result from rounding in the dates.
            if let idleTime, idleTime > .milliseconds(1) { return startDeadline(timeout, after: idleTime) }
            let detail =
                idleTime == nil
                ? "the request's timeout of \(timeout) is over" : "no byte came for \(timeout)"
            fail(with: ServiceError(.timedOut, detail: detail, request: request))
        }
        core.withLock { $0.keep(deadline, as: \.deadline) }.cancelIfUnneeded()
    }

    /// Completes the transfer with a failure, or with a stored response in its place.
    func fail(with error: ServiceError) {
        if core.withLock({ $0.extras?.body?.isStreaming ?? false }) {
            failBody(with: error)
        } else if plan.hasCaches {
            failWithCaches(error)
        } else {
            end(with: PipelineAdapter(failure: error, plan))
        }
    }
}

extension ServiceTask {
    /// Receives the completion of a success. If only the handler chain needs the completion, this changes the core
    /// once, on the transfer's thread. That isn't possible if there is a log, the app's clock, a follow-up policy, a
    /// cache, a sink or a progress handler. This saves about a tenth of the CPU time of a GET of 2 KB.
    func complete(_ result: TransferResult, from number: Int) {
        if case .success(let data) = result, completeAtOnce(data, from: number) { return }
        leaveTransferThread { self.finish(result, from: number) }
    }

    private func completeAtOnce(_ data: Data, from number: Int) -> Bool {
        if log != nil || surroundings != nil || request.acceptableContentTypes != nil { return false }
        let now = now
        var isTaken = false
        update { core in
            guard core.extras?.body == nil, core.progress == nil, core.chain.takesSuccess,
                let head = core.exchange.acceptedHead, head.isSuccess,
                request.acceptableStatusCodes.contains(head.statusCode),
                !plan.hasCaches, !mayBeSentAgain || isFinalSuccess(head),
                case .deliver = core.exchange.receiveCompletion(
                    .success(data), from: number, needsDecision: false)
            else { return }
            // Noted in the same change of the core, so that a request that a handler sends next finds it.
            noteSuccess(head, core.exchange)
            isTaken = core.end(
                with: PipelineAdapter(ReceivedResponse(head: head, data: data, timestamp: now), plan))
        }
        return isTaken
    }

    /// Notes a success that no follow-up policy examines. The server accepts the credential and works normally.
    private func noteSuccess(_ head: ResponseHead, _ exchange: Exchange) {
        if request.retry.isInUse { request.retry.noteSuccess(from: exchange.attempt.request?.url) }
        guard let credentials = request.credentials, let use = exchange.credentialUse else { return }
        // Reading the response costs 12 µs. Only a data source that follows redirects itself needs it.
        if transferSource == nil, !head.response.isFromOrigin(of: use.request) { return }
        credentials.accept(use)
    }

    /// Whether the response is a success that no follow-up policy needs to examine.
    func isFinalSuccess(_ head: ResponseHead) -> Bool {
        head.isSuccess && request.download == nil && (transferSource != nil || request.redirects == nil)
            && request.retry.takes(head.statusCode) && request.credentials?.acceptsEverySuccess ?? true
    }

    /// Receives the completion of an accepted transfer.
    func deliver(_ result: TransferResult, after acceptedHead: ResponseHead?) {
        let (isOver, isCounted, hasBody) = core.withLock { core in
            let isCounted = core.progress != nil || request.download != nil
            return (core.exchange.isComplete, isCounted, core.extras?.body != nil)
        }
        if isOver { return }
        if isCounted { keepFinalProgress() }
        switch (result, acceptedHead) {
        case (.failure(let error, let errorHead), _):
            let response = (acceptedHead ?? errorHead)?.response
            fail(with: ServiceError(transport: error, request: request, response: response))
        case (.success, nil): fail(with: ServiceError(.invalidResponse, request: request))
        case (.success(let data), let head?): deliver(data, after: head, hasBody: hasBody)
        }
    }

    private func deliver(_ data: Data, after head: ResponseHead, hasBody: Bool) {
        if mayBeSentAgain, isFinalSuccess(head), !wantsHeads { noteSuccess(head, withExchange { $0 }) }
        guard let data = hasBody ? completeBody(head.response, data) : data else { return }
        let received = ReceivedResponse(head: head, data: data, timestamp: now)
        log?.received(
            head.response, body: received.data, byteCount: received.data.count, metrics: metrics)
        let isAcceptable = request.acceptableStatusCodes.contains(head.statusCode)
        let failure =
            isAcceptable
            ? request.contentTypeError(of: head, hasContent: !received.data.isEmpty)
            : statusError(head.response)
        noteWrite(head)
        if plan.hasCaches {
            receiveWithCaches(received, failure)
        } else {
            end(with: PipelineAdapter(received, failure: failure, plan), on: .workplaceHere)
        }
    }
}

extension ServiceTask {
    /// The error for a response with an unacceptable status.
    private func statusError(_ head: HTTPURLResponse) -> ServiceError {
        let home = URL(string: request.urlString).map { URLRequest(url: $0) }
        let problem =
            home.map(head.isFromOrigin) == true ? request.credentials?.problem(with: head) : nil
        let detail = problem ?? request.retry.words(aboutDelayIn: head, now: now)
        return ServiceError(.unacceptableStatus, detail: detail, request: request, response: head)
    }

    /// Notifies the watcher that the server has responded to an unsafe request (RFC 9110 §9.2.1).
    func noteWrite(_ head: ResponseHead) {
        guard let surroundings, let watcher = surroundings.watcher, !request.method.isSafe,
            (200..<400).contains(head.statusCode)
        else { return }
        watcher.taskHasWritten(self)
    }
}

// MARK: - Completing

extension ServiceTask {
    /// Completes the transfer with its result. Only the first call has an effect.
    ///
    /// - Parameter queue: The queue of the caller, if handlers may run on it.
    func end(with input: PipelineAdapter, on queue: DispatchQueue? = nil) {
        var isFirst = false
        update(on: queue) { core in
            isFirst = core.end(with: input)
        }
        // If there is a pipeline, it decides which error is logged.
        if let log, isFirst, let error = input.error, plan.parsers != nil || error.isCancelled {
            log.failed(input.response.map { error.with($0.entity) } ?? error)
        }
    }

    /// Makes a change that may complete the transfer, and performs its consequences.
    func update(on queue: DispatchQueue? = nil, _ change: (inout Core) -> Void) {
        let place = queue.map(HandlerChain.Place.queue)
        var call: Exchange.Call?
        let (step, hasEnded, rest, permit, _) = core.withLock { core in
            // The replaced outcome is returned, so that the app's objects in it are released outside the lock.
            let replaced = core.chain.outcome
            let wasPending = core.chain.isPending
            change(&core)
            let hasEnded = wasPending && !core.chain.isPending
            let rest = hasEnded ? core.takeRest() : nil
            // The chain advances after the timers are cancelled, and after the sink has removed its file.
            if rest != nil { core.chain.takeTurn() }
            call = core.exchange.nextCall()
            let permit = hasEnded ? core.exchange.releasePermit() : nil
            return (core.chain.firstStep(on: place), hasEnded, rest, permit, replaced)
        }
        if hasEnded { surroundings?.watcher?.taskHasEnded(self) }
        rest?.cancel()
        perform(call)
        permit?.end()
        if let body = rest?.body, let sink = body.sink, let error = body.error {
            failSink(sink, with: error)
        } else if rest != nil {
            advance(on: place)
        } else {
            takeSteps(from: step, on: place)
        }
    }
}

extension ServiceTask.Core {
    /// The state that a task releases outside the lock when it completes. It is an object, because most tasks have
    /// none.
    fileprivate final class Rest: Sendable {
        let works: TaskExtras.Works?
        let progress: ProgressWatch?
        /// `nil` if the body was only collected in memory.
        let body: BodyDestination.Rest?

        init(of core: inout ServiceTask.Core) {
            (works, progress) = (core.extras?.works, core.progress)
            core.extras?.works = TaskExtras.Works()
            body = core.endBody()
        }

        func cancel() {
            works?.cancel()
            progress?.end()
        }
    }

    fileprivate mutating func takeRest() -> Rest? {
        extras != nil || progress != nil ? Rest(of: &self) : nil
    }
}
