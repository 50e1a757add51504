import Foundation

extension ServiceTask: ExchangeOwner {
    func withExchange<Result>(_ change: (inout Exchange) -> Result) -> Result {
        core.withLock { change(&$0.exchange) }
    }

    func needsDecision(on head: ResponseHead?) -> Bool {
        guard let head else { return mayBeSentAgain }
        if transferSource != nil, RedirectPolicy.isRedirect(head.statusCode) { return true }
        if head.isSuccess, wantsHeads { return true }
        return mayBeSentAgain && !isFinalSuccess(head)
    }

    /// Whether caches need the head of a success before the body is complete.
    var wantsHeads: Bool { plan.hasCaches && !request.method.isSafe }

    var policies: [any FollowUpPolicy] {
        var policies: [any FollowUpPolicy] = []
        if let transferSource { policies.append(request.redirects ?? transferSource.redirectPolicy) }
        guard mayBeSentAgain else { return policies }
        if let override = core.withLock({ $0.rareState?.redirects }) {
            policies.append(RedirectOverridePolicy(override: override))
        }
        if let request = withExchange({ $0.attempt.request }), let credentials = credentials(for: request) {
            policies.append(CredentialPolicy(credentials: credentials))
        }
        policies.append(ValidationPolicy())
        let download = downloadSink
        if request.retry.isInUse {
            policies.append(RetryFollowUpPolicy(request: request, download: download, now: now))
        }
        if let download { policies.append(RangePolicy(sink: download)) }
        return policies
    }

    var mustLeaveTransferThread: Bool { transferSource?.hasEventLoop ?? false }

    func deliverHead(_ head: ResponseHead) {
        restartIdleTimeout(onTransferThread: true)
        beginBody(after: head.response)
    }

    func perform(_ call: Exchange.Call?) {
        guard call != nil else { return }
        if transferSource == nil { withTransferContext { makeCalls(call) } } else { makeCalls(call) }
    }

    func failExchange(with error: any Error) {
        failTransfer(with: ServiceError(transport: error, request: request))
    }
}

extension ResponseHead {
    var isSuccess: Bool { (200..<300).contains(statusCode) }
}

extension ServiceTask {
    /// A simple task completes on the transfer's thread, which saves a tenth of its CPU time.
    func receiveCompletion(_ result: TransferResult, from number: Int) {
        if case .success(let data) = result, completeOnTransferThread(data, from: number) { return }
        leaveTransferThread { self.decideOrDeliver(result, from: number) }
    }

    private func completeOnTransferThread(_ data: Data, from number: Int) -> Bool {
        if log != nil || context != nil || plan.hasCaches { return false }
        // Only the `HTTPURLResponse` has the content type. Creating it takes 12 µs.
        if request.acceptableContentTypes != nil { return false }
        let now = now
        var isTaken = false
        update { core in
            guard core.rareState?.body == nil, core.progress == nil,
                core.chain.takesSuccess || core.chain.isEmpty && plan.parsers != nil,
                let head = core.exchange.acceptedHead, request.accepts(head, hasContent: !data.isEmpty),
                case .deliver = core.exchange.receiveCompletion(
                    .success(data), from: number, needsDecision: false)
            else { return }
            // The credential is accepted before a handler runs, because the handler may send the next request.
            noteSuccess(head, core.exchange)
            isTaken = core.end(
                with: PipelineAdapter(ReceivedResponse(head: head, data: data, timestamp: now), plan))
        }
        return isTaken
    }

    /// Notes a success that no follow-up policy has seen.
    private func noteSuccess(_ head: ResponseHead, _ exchange: @autoclosure () -> Exchange) {
        guard mayBeSentAgain, isFinalSuccess(head), !wantsHeads else { return }
        let exchange = exchange()
        if request.retry.isInUse { request.retry.noteSuccess(from: exchange.attempt.request?.url) }
        guard let credentials = request.credentials, let use = exchange.credentialUse else { return }
        // A data source that follows redirects itself shows this only in the response's URL. For other data sources, no
        // `HTTPURLResponse` is created, because this takes 12 µs.
        if transferSource == nil, !head.response.isFromOrigin(of: use.request) { return }
        credentials.accept(use)
    }

    func isFinalSuccess(_ head: ResponseHead) -> Bool {
        head.isSuccess && request.download == nil && (transferSource != nil || request.redirects == nil)
            && request.retry.takes(head.statusCode) && request.credentials?.acceptsEverySuccess ?? true
    }

    func deliverResult(_ result: TransferResult, after acceptedHead: ResponseHead?) {
        let hasBody = core.withLock { $0.rareState?.body != nil }
        switch (result, acceptedHead) {
        case (.failure(let error, let errorHead), _):
            let response = (acceptedHead ?? errorHead)?.response
            failTransfer(with: ServiceError(transport: error, request: request, response: response))
        case (.success, nil): failTransfer(with: ServiceError(.invalidResponse, request: request))
        case (.success(let data), let head?): deliverSuccess(data, after: head, hasBody: hasBody)
        }
    }

    private func deliverSuccess(_ data: Data, after head: ResponseHead, hasBody: Bool) {
        noteSuccess(head, withExchange { $0 })
        guard let data = hasBody ? completeBody(head.response, data) : data else { return }
        let received = ReceivedResponse(head: head, data: data, timestamp: now)
        log?.received(
            head.response, body: received.data, byteCount: received.data.count, metrics: metrics)
        let failure =
            request.accepts(head, hasContent: !received.data.isEmpty) ? nil : error(of: head)
        noteWrite(head)
        if plan.hasCaches {
            receiveWithCaches(received, failure)
        } else {
            end(with: PipelineAdapter(received, failure: failure, plan), on: .parsingHere)
        }
    }
}

extension ServiceTask {
    /// Returns the error of a response that the request doesn't accept.
    private func error(of unaccepted: ResponseHead) -> ServiceError {
        if request.acceptableStatusCodes.contains(unaccepted.statusCode) {
            return request.contentTypeError(of: unaccepted)
        }
        let head = unaccepted.response
        let home = URL(string: request.urlString).map { URLRequest(url: $0) }
        let problem =
            home.map(head.isFromOrigin) == true ? request.credentials?.problem(with: head) : nil
        let detail = problem ?? request.retry.words(aboutDelayIn: head, now: now)
        return ServiceError(.unacceptableStatus, detail: detail, request: request, response: head)
    }

    func noteWrite(_ head: ResponseHead) {
        guard let context, let watcher = context.watcher, !request.method.isSafe,
            (200..<400).contains(head.statusCode)
        else { return }
        watcher.taskHasWritten?(self)
    }
}

extension ServiceTask {
    func failTransfer(with error: ServiceError) {
        if core.withLock({ $0.rareState?.body?.isStreaming ?? false }) {
            failBody(with: error)
        } else if plan.hasCaches {
            failWithCaches(error)
        } else {
            end(with: PipelineAdapter(failure: error, plan))
        }
    }

    /// Completes the exchange and stores the first outcome. Pass the caller's queue if handlers may run on it.
    func end(with input: PipelineAdapter, on queue: DispatchQueue? = nil) {
        var isFirst = false
        update(on: queue) { core in
            isFirst = core.end(with: input)
        }
        // If the pipeline runs, `runPipeline` logs the error that remains after it.
        if let log, isFirst, let error = input.error, plan.parsers != nil || error.isCancelled {
            log.failed(input.response.map { error.with($0.entity) } ?? error)
        }
    }
}
