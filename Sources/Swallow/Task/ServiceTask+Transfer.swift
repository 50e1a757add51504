import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The side of the data source.
extension ServiceTask {
    /// Encodes the request and hands it to the data source.
    func start() {
        let urlRequest: URLRequest
        do {
            urlRequest = try request.urlRequest()
        } catch {
            return arrive(Arrival(error: error), cancelling: true)
        }
        log?.built(urlRequest)
        let usesCaches = usesCaches(for: urlRequest)
        if let timeout = request.timeout {
            startDeadline(timeout, cacheRequest: usesCaches ? urlRequest : nil)
        }
        if usesCaches {
            sendUnlessCached(urlRequest)
        } else {
            send(urlRequest, forgetting: requestToForget(after: urlRequest))
        }
    }

    /// Hands a request to the data source.
    ///
    /// - Parameters:
    ///   - cacheRequest: what caches know the response by; nil keeps them out of it.
    ///   - hit: the cached response that a 304 confirms.
    ///   - changedRequest: whose response the caches are to forget after a success.
    func send(
        _ urlRequest: URLRequest, cacheRequest: URLRequest? = nil, confirming hit: CachedHit? = nil,
        forgetting changedRequest: URLRequest? = nil
    ) {
        if core.withLock({ $0.transfer.hasEnded }) { return }
        let receipt = Receipt(
            self, CacheRole(request: cacheRequest, hit: hit, changedRequest: changedRequest))
        log?.sent()
        let dataTask = dataSource.dataTask(with: urlRequest) { data, response, error in
            receipt.take(data, response, error)
        }
        if core.withLock({ $0.transfer.begin(dataTask) }) { sendSignals() } else { dataTask.cancel() }
    }

    func startDeadline(_ timeout: Duration, cacheRequest: URLRequest?) {
        let deadline = Task.after(timeout) { [weak self] in self?.timeOut(cacheRequest) }
        let (replaced, isNeeded) = core.withLock { core in
            defer { core.deadline = deadline }
            return (core.deadline, core.chain.isPending)
        }
        replaced?.cancel()
        if !isNeeded { deadline.cancel() }
    }

    /// Ends the task. What a cache has takes the response's place only where the request was on its way: a cache
    /// that is still being read has had its time.
    private func timeOut(_ cacheRequest: URLRequest?) {
        let error = ServiceError(.timedOut, request: request)
        let (hasEnded, isTransferring) = core.withLock { ($0.transfer.hasEnded, $0.transfer.isTransferring) }
        if hasEnded { return take(Arrival(error: error)) }
        fail(with: error, cacheRequest: isTransferring ? cacheRequest : nil, cancelling: true)
    }

    /// Makes a change that may end the transfer, and does what follows from it.
    func settle(_ change: (inout Core) -> Void) {
        let (starts, deadline, _) = core.withLock { core in
            // Returned, so that an object of the app's in it ends outside the lock.
            let replaced = core.chain.outcome
            change(&core)
            let deadline = core.chain.isPending ? nil : core.deadline.take()
            return (core.chain.start(), deadline, replaced)
        }
        deadline?.cancel()
        sendSignals()
        if starts { advance(on: nil) }
    }

    func sendSignals() {
        TransferState.send { isSender in core.withLock { $0.transfer.nextSignal(isSender: isSender) } }
    }
}

// MARK: - The answer

extension ServiceTask {
    /// What the caches of the pipeline have to do with an answer. A reference, since most tasks have none.
    private final class CacheRole: Sendable {
        /// What they know the response by.
        let request: URLRequest?
        /// What a 304 confirms.
        let hit: CachedHit?
        /// Whose response a success makes out of date.
        let changedRequest: URLRequest?

        init?(request: URLRequest?, hit: CachedHit?, changedRequest: URLRequest?) {
            if request == nil, changedRequest == nil { return nil }
            self.request = request
            self.hit = hit
            self.changedRequest = changedRequest
        }
    }

    /// What a data source holds of a task: while it may still answer, the task lives. A data source that lets go
    /// of it without an answer ends the task.
    private final class Receipt: Sendable {
        private let task: ServiceTask
        private let role: CacheRole?

        init(_ task: ServiceTask, _ role: CacheRole?) {
            self.task = task
            self.role = role
        }

        deinit {
            take(nil, nil, nil)
        }

        func take(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) {
            task.receive(data, response, error, role)
        }
    }

    /// Takes the data source's answer; only the first one counts.
    private func receive(
        _ data: Data?, _ response: URLResponse?, _ error: (any Error)?, _ role: CacheRole?
    ) {
        if core.withLock({ $0.transfer.hasEnded }) { return }
        let httpResponse = response as? HTTPURLResponse
        if let error {
            let failure = ServiceError(transport: error, request: request, response: httpResponse)
            return fail(with: failure, cacheRequest: role?.request, cancelling: false)
        }
        guard let httpResponse else {
            let detail = "the data source gave \(response == nil ? "no" : "not an HTTP") response"
            let failure = ServiceError(.invalidResponse, detail: detail, request: request)
            return fail(with: failure, cacheRequest: nil, cancelling: false)
        }
        let data = data ?? Data()
        log?.received(httpResponse, byteCount: data.count)
        if httpResponse.statusCode == 304, let hit = role?.hit, let cacheRequest = role?.request {
            return confirm(hit, for: cacheRequest)
        }
        if (200..<400).contains(httpResponse.statusCode), let changed = role?.changedRequest {
            plan.forget(changed)
        }
        let isAcceptable = request.acceptableStatusCodes.contains(httpResponse.statusCode)
        let failure =
            isAcceptable ? nil : ServiceError(.unacceptableStatus, request: request, response: httpResponse)
        arrive(
            Arrival(response: httpResponse, data: data, error: failure, cacheRequest: role?.request),
            cancelling: false)
    }

    /// Ends the transfer with what arrived.
    ///
    /// - Parameter cancelling: whether the data source is to stop, because the end isn't its own.
    func arrive(_ arrival: Arrival, cancelling: Bool) {
        var isFirst = false
        settle { core in
            isFirst = core.transfer.end(cancelling: cancelling)
            if isFirst { core.chain.arrive(arrival, plan) }
        }
        // Otherwise the pipeline decides what the error is.
        if isFirst, let error = arrival.error, plan.parsers != nil || error.isCancelled { log?.failed(error) }
    }

    /// Ends the transfer, for the first and only time, with what is still to be found.
    func endTransfer(cancelling: Bool) -> Bool {
        var isFirst = false
        settle { isFirst = $0.transfer.end(cancelling: cancelling) }
        return isFirst
    }

    /// Takes what a transfer that has ended is to have given.
    func take(_ arrival: Arrival) {
        settle { $0.chain.arrive(arrival, plan) }
    }
}
