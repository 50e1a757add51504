import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends the request through the data source, and takes its response.
extension ServiceTask {
    /// Encodes the request, runs the configured adapters, which may be async, and sends it.
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
            end(with: PipelineAdapter(failure: error, plan), cancelling: true)
        }
    }

    /// Runs the configured async adapters, then sends the request.
    private func adapt(_ urlRequest: URLRequest) {
        let adaptation = Caller.startTask(for: nil) { [self] in
            do throws(ServiceError) {
                let adapted = try await request.adaptedLater(urlRequest)
                if !core.withLock({ $0.exchange.control.hasEnded }) { begin(adapted) }
            } catch {
                end(with: PipelineAdapter(failure: error, plan), cancelling: true)
            }
        }
        core.withLock { $0.keep(adaptation, as: \.adaptation) }.cancelIfUnneeded()
    }

    private func begin(_ urlRequest: consuming URLRequest) {
        log?.built(urlRequest, form: request.multipartForm)
        if plan.hasCaches { beginWithCredential(urlRequest) } else { sendWithoutCaches(urlRequest) }
    }

    /// Sends a request in which no cache takes part; fails if only caches may be asked.
    func sendWithoutCaches(_ urlRequest: consuming URLRequest) {
        if request.entityCaching.sendsNothing {
            return end(with: PipelineAdapter(failure: .notCached(request), plan), cancelling: false)
        }
        // A load of a resource must reach the server, not the transport's own cache.
        if isServerLoad { urlRequest = urlRequest.withoutTransportCache }
        guard let validators, let asking = validators.asked(by: urlRequest) else { return send(urlRequest) }
        send(asking, asking: validators)
    }

    /// Hands a request to the data source.
    ///
    /// - Parameter validators: those of the response that the request revalidates, if any.
    func send(_ urlRequest: consuming URLRequest, asking validators: Validators? = nil) {
        if isSentAtOnce {
            // Only the timeout can have ended the task by now.
            if request.timeout != nil, core.withLock({ $0.exchange.control.hasEnded }) { return }
            log?.sent()
            return begin(urlRequest, hop: 0)
        }
        let (hasEnded, sink) = core.withLock { core in
            if let validators { core.exchange.attempt.ask(by: validators.of(urlRequest.url)) }
            return (core.exchange.control.hasEnded, core.extras?.body?.sink)
        }
        if hasEnded { return }
        if let download = sink as? DownloadSink { return open(download, for: urlRequest) }
        sink?.prepare(&urlRequest)
        sendFirst(urlRequest)
    }

    /// Starts the timer for the request's timeout.
    ///
    /// - Parameter period: when to check; nil for the whole timeout.
    func startDeadline(_ timeout: Duration, after period: Duration? = nil) {
        let deadline = clock.schedule(after: period ?? timeout) { [weak self] in
            guard let self else { return }
            let now = now
            let idleTime = core.withLock { core in
                core.extras?.body?.idleTime(
                    leftOf: timeout, now,
                    isPaused: core.exchange.control.isHeld || core.exchange.control.isSuspended)
            }
            // A shorter rest may come from rounding in the dates.
            if let idleTime, idleTime > .milliseconds(1) { return startDeadline(timeout, after: idleTime) }
            let detail =
                idleTime == nil
                ? "the request's timeout of \(timeout) is over" : "no byte came for \(timeout)"
            fail(with: ServiceError(.timedOut, detail: detail, request: request), cancelling: true)
        }
        core.withLock { $0.keep(deadline, as: \.deadline) }.cancelIfUnneeded()
    }

    /// Ends the transfer with a failure, or with a cached response instead.
    func fail(with error: ServiceError, cancelling: Bool) {
        if core.withLock({ $0.extras?.body?.isStreaming ?? false }) {
            failBody(with: error, cancelling: cancelling)
        } else if plan.hasCaches {
            failWithCaches(error, cancelling: cancelling)
        } else {
            end(with: PipelineAdapter(failure: error, plan), cancelling: cancelling)
        }
    }
}

extension ServiceTask {
    /// Takes the end of a success in one change of the core instead of four, if only the handler chain needs it: no log,
    /// clock of the app's, judge, cache, sink or progress.
    func receiveAtOnce(_ ending: Ending, of hop: Int) -> Bool {
        if log != nil || surroundings != nil { return false }
        guard let head = ending.head, ending.error == nil, request.acceptableContentTypes == nil,
            (200..<300).contains(head.statusCode), request.acceptableStatusCodes.contains(head.statusCode),
            !mayBeSentAgain || isLastTry(withSuccess: head.statusCode)
        else { return false }
        let received = ReceivedResponse(head: head, data: ending.data ?? Data(), timestamp: now)
        var isTaken = false
        update { core in
            guard core.extras?.body == nil, core.progress == nil, core.chain.takesSuccess,
                core.exchange.endUnjudged(hop)
            else { return }
            noteAcceptance(by: head, core.exchange)
            // In this change, so that a request that follows the end finds it.
            if request.retry.isInUse { request.retry.noteSuccess(from: core.exchange.attempt.request?.url) }
            core.record = core.exchange.control.current.map { .lasting($0) }
            isTaken = core.end(with: PipelineAdapter(received, plan), cancelling: false)
        }
        return isTaken
    }

    /// Notes that a success accepted the credential.
    private func noteAcceptance(by head: ResponseHead, _ exchange: Exchange) {
        guard let credentials = request.credentials, let use = exchange.credentialUse else { return }
        // Reading the response costs 12 µs. Only a data source that follows redirects itself needs it.
        if carriers == nil, !head.response.isFromOrigin(of: use.request) { return }
        credentials.accept(use)
    }

    /// Whether no judge and no cache needs to see a success with this status.
    private func isLastTry(withSuccess status: Int) -> Bool {
        !plan.hasCaches && request.download == nil && request.redirects == nil && request.retry.takes(status)
            && request.credentials?.acceptsEverySuccess ?? true
    }

    /// Takes the end of the request.
    func receive(_ ending: Ending) {
        var carrier: (any DataTask)?
        let (isOver, isCounted, hasBody, knownHead) = core.withLock { core in
            let isCounted = core.progress != nil || request.download != nil
            // A carrier is only asked for metrics when a user reads them.
            if carriers != nil, let current = core.exchange.control.current {
                core.record = .lasting(current)
            }
            if carriers == nil || isCounted { carrier = core.exchange.control.current }
            let extras = core.extras
            return (core.exchange.control.hasEnded, isCounted, extras?.body != nil, extras?.body?.head)
        }
        if isOver { return }
        if let carrier {
            let record = TransferRecord(of: carrier, isCarrier: carriers != nil)
            if isCounted || record != nil { keep(record, of: carrier) }
        }
        let head = knownHead.map(ResponseHead.init) ?? ending.head
        if let error = ending.error {
            let failure = ServiceError(transport: error, request: request, response: head?.response)
            return fail(with: failure, cancelling: false)
        }
        guard let head else {
            let detail = "the data source gave \(ending.response == nil ? "no" : "not an HTTP") response"
            let failure = ServiceError(.invalidResponse, detail: detail, request: request)
            return fail(with: failure, cancelling: false)
        }
        guard let data = hasBody ? completeBody(head.response, ending.data) : ending.data ?? Data() else {
            return
        }
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
            end(
                with: PipelineAdapter(received, failure: failure, plan), cancelling: false, on: .workplaceHere
            )
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

    /// Tells the watcher that the server has answered an unsafe request (RFC 9110 §9.2.1).
    func noteWrite(_ head: ResponseHead) {
        guard let surroundings, let watcher = surroundings.watcher, !request.method.isSafe,
            (200..<400).contains(head.statusCode)
        else { return }
        watcher.taskHasWritten(self)
    }
}

// MARK: - Ending

extension ServiceTask {
    /// Ends the transfer with what it gave; only the first time counts.
    ///
    /// - Parameters:
    ///   - cancelling: whether to cancel the data task; false where it has ended by itself.
    ///   - queue: where this is called, if handlers may go on there.
    func end(with input: PipelineAdapter, cancelling: Bool, on queue: DispatchQueue? = nil) {
        var isFirst = false
        update(on: queue) { core in
            isFirst = core.end(with: input, cancelling: cancelling)
        }
        // Otherwise the pipeline decides what the error is.
        if let log, isFirst, let error = input.error, plan.parsers != nil || error.isCancelled {
            log.failed(input.response.map { error.with($0.entity) } ?? error)
        }
    }

    /// Makes a change that may end the transfer, and does what follows from it.
    func update(on queue: DispatchQueue? = nil, _ change: (inout Core) -> Void) {
        let place = queue.map(HandlerChain.Place.queue)
        var call: CarrierControl.Call?
        let (step, hasEnded, rest, _) = core.withLock { core in
            // The replaced outcome is returned, so that objects of the app's in it are released outside the lock.
            let replaced = core.chain.outcome
            let wasPending = core.chain.isPending
            change(&core)
            let hasEnded = wasPending && !core.chain.isPending
            let rest = hasEnded ? core.takeRest() : nil
            // The sink may have a file to remove first. After that, it advances the chain.
            if rest?.body?.error != nil { core.chain.takeTurn() }
            call = core.exchange.control.nextSignal(isSender: false)
            return (core.chain.firstStep(on: place), hasEnded, rest, replaced)
        }
        if hasEnded { surroundings?.watcher?.taskHasEnded(self) }
        rest?.cancel()
        send(call)
        if hasEnded { leaveSource(rest?.works?.limit) }
        if let body = rest?.body, let sink = body.sink, let error = body.error { failSink(sink, with: error) }
        takeSteps(from: step, on: place)
    }
}

extension ServiceTask.Core {
    /// What a task releases at its end, outside the lock. An object, since most tasks have nothing to release.
    fileprivate final class Rest: Sendable {
        let works: TaskExtras.Works?
        let progress: ProgressWatch?
        let exchange: Exchange.Rest?
        /// `nil` if the body was only collected in memory.
        let body: BodyDestination.Rest?

        init(of core: inout ServiceTask.Core, _ exchange: Exchange.Rest?) {
            (works, progress) = (core.extras?.works, core.progress)
            core.extras?.works = TaskExtras.Works()
            self.exchange = exchange
            body = core.endBody()
        }

        func cancel() {
            works?.cancel()
            progress?.end()
            exchange?.leftover?.cancel()
        }
    }

    fileprivate mutating func takeRest() -> Rest? {
        let rest = exchange.takeRest()
        let isAny = rest != nil || extras != nil || progress != nil
        return isAny ? Rest(of: &self, rest) : nil
    }
}
