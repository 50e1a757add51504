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
        if usesCaches { sendUnlessCached(urlRequest) } else { send(urlRequest) }
    }

    /// Hands a request to the data source.
    ///
    /// - Parameters:
    ///   - cacheRequest: what caches know the response by; nil keeps them out of it.
    ///   - hit: the cached response that a 304 confirms.
    func send(_ urlRequest: URLRequest, cacheRequest: URLRequest? = nil, confirming hit: CachedHit? = nil) {
        if core.withLock({ $0.transfer.hasEnded }) { return }
        let receipt = Receipt(self, cacheRequest: cacheRequest, confirming: hit)
        log?.sent()
        let dataTask = dataSource.dataTask(with: urlRequest) { data, response, error in
            receipt.take(data, response, error)
        }
        if core.withLock({ $0.transfer.begin(dataTask) }) { sendSignals() } else { dataTask.cancel() }
    }

    private func startDeadline(_ timeout: Duration, cacheRequest: URLRequest?) {
        let deadline = Task.after(timeout) { [weak self] in
            guard let self else { return }
            fail(
                with: ServiceError(.timedOut, request: request), cacheRequest: cacheRequest, cancelling: true)
        }
        let isNeeded = core.withLock { core in
            core.deadline = deadline
            return !core.transfer.hasEnded
        }
        if !isNeeded { deadline.cancel() }
    }

    /// Makes a change that may end the transfer, and does what follows from it.
    func settle(_ change: (inout Core) -> Void) {
        let (starts, deadline, _) = core.withLock { core in
            // Returned, so that an object of the app's in it ends outside the lock.
            let replaced = core.chain.outcome
            change(&core)
            let deadline = core.transfer.hasEnded ? core.deadline.take() : nil
            return (core.chain.start(), deadline, replaced)
        }
        deadline?.cancel()
        sendSignals()
        if starts { advance(on: nil) }
    }

    func sendSignals() {
        Transfer.send { isSender in core.withLock { $0.transfer.nextSignal(isSender: isSender) } }
    }
}

// MARK: - The answer

extension ServiceTask {
    /// What a data source holds of a task: while it may still answer, the task lives. A data source that lets go
    /// of it without an answer ends the task.
    private final class Receipt: Sendable {
        private let task: ServiceTask
        private let cacheRequest: URLRequest?
        private let hit: CachedHit?

        init(_ task: ServiceTask, cacheRequest: URLRequest?, confirming hit: CachedHit?) {
            self.task = task
            self.cacheRequest = cacheRequest
            self.hit = hit
        }

        deinit {
            take(nil, nil, nil)
        }

        func take(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) {
            task.receive(data, response, error, cacheRequest: cacheRequest, confirming: hit)
        }
    }

    /// Takes the data source's answer; only the first one counts.
    private func receive(
        _ data: Data?, _ response: URLResponse?, _ error: (any Error)?, cacheRequest: URLRequest?,
        confirming hit: CachedHit?
    ) {
        if core.withLock({ $0.transfer.hasEnded }) { return }
        let httpResponse = response as? HTTPURLResponse
        if let error {
            let failure = ServiceError(transport: error, request: request, response: httpResponse)
            return fail(with: failure, cacheRequest: cacheRequest, cancelling: false)
        }
        guard let httpResponse else {
            let detail = "the data source gave \(response == nil ? "no" : "not an HTTP") response"
            let failure = ServiceError(.invalidResponse, detail: detail, request: request)
            return fail(with: failure, cacheRequest: nil, cancelling: false)
        }
        let data = data ?? Data()
        log?.received(httpResponse, byteCount: data.count)
        if httpResponse.statusCode == 304, let hit, let cacheRequest {
            return confirm(hit, for: cacheRequest)
        }
        let isAcceptable = request.acceptableStatusCodes.contains(httpResponse.statusCode)
        let failure =
            isAcceptable ? nil : ServiceError(.unacceptableStatus, request: request, response: httpResponse)
        arrive(
            Arrival(response: httpResponse, data: data, error: failure, cacheRequest: cacheRequest),
            cancelling: false)
    }

    /// Ends the transfer with what arrived.
    ///
    /// - Parameter cancelling: whether the data source is to stop, because the end isn't its own.
    func arrive(_ arrival: Arrival, cancelling: Bool) {
        settle { core in
            if core.transfer.end(cancelling: cancelling) { core.chain.arrive(arrival, plan) }
        }
        // Otherwise the pipeline decides what the error is.
        if let error = arrival.error, plan.parsers != nil || error.isCancelled { log?.failed(error) }
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
