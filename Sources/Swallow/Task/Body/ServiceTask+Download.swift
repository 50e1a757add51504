import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension ServiceTask {
    /// Hands the URL of the file that ``Request/Option/download(to:resumes:)`` wrote to a handler on the main actor.
    ///
    /// ```swift
    /// let download = service.GET("/map.pdf", options: [.download(to: file)])
    ///     .responseFile { file in self.map = file }
    /// ```
    ///
    /// A task without that option fails the chain with `.contentMismatch`.
    @discardableResult
    public func responseFile(_ handler: @escaping Handler<URL>) -> Self {
        responseContent(as: URL.self, handler)
    }

    /// Hands the URL of the file that a download wrote to a handler on a queue.
    @discardableResult
    public func responseFile(_ queue: DispatchQueue, _ handler: @escaping QueueHandler<URL>) -> Self {
        responseContent(queue, as: URL.self, handler)
    }

    /// Opens the file of a download, and sends its request.
    func send(_ urlRequest: URLRequest, to sink: DownloadSink) {
        sink.open(for: urlRequest) { [self] error in
            if let error { return failBody(with: ServiceError(thrown: error, request: request)) }
            if core.withLock({ $0.transfer.hasEnded }) { return }
            send(urlRequest, to: sink, transfer: 0)
        }
    }

    private func send(_ urlRequest: URLRequest, to sink: DownloadSink, transfer: Int) {
        let transfer = DownloadTransfer(task: self, sink: sink, urlRequest: urlRequest, number: transfer)
        send(urlRequest, over: DownloadSource(base: dataSource, sink: sink), for: transfer)
    }

    /// Has the rest of a download sent, after a transfer that broke off, if the retry policy says so.
    fileprivate func goesOn(after transfer: DownloadTransfer, _ error: any Error) -> Bool {
        guard request.retry.isInUse, transfer.sink.canGoOn else { return false }
        let attempt = RetryPolicy.Attempt(
            request: transfer.urlRequest, response: nil, error: error,
            retries: core.withLock { $0.attempts } - 1)
        guard
            let wait = request.retry.wait(
                after: attempt, canBeSentAgain: true, now: now,
                mayWait: { [request] wait in request.timeout.map { wait < $0 } ?? true })
        else { return false }
        transfer.sink.goOn()
        let (isWanted, attempts, _) = core.withLock { core -> (Bool, Int, (any DataTask)?) in
            if core.transfer.hasEnded { return (false, 0, nil) }
            core.attempts += 1
            return (true, core.attempts, core.transfer.startAnew())
        }
        guard isWanted else { return true }
        log?.retries(attempts, after: wait, .failure(error))
        noteBodyMayGoOn()
        let work = clock.schedule(after: wait) { [self] in
            if core.withLock({ $0.transfer.hasEnded }) { return }
            noteBodyMayGoOn()
            send(transfer.urlRequest, to: transfer.sink, transfer: transfer.number + 1)
        }
        let isNeeded = core.withLock { core in
            if core.chain.isPending { core.authorization = work }
            return core.chain.isPending
        }
        if !isNeeded { work.cancel() }
        return true
    }
}

/// One of the transfers that bring a download: the next one continues what it has brought where it breaks off.
private struct DownloadTransfer: RequestSender {
    let task: ServiceTask
    let sink: DownloadSink
    let urlRequest: URLRequest
    /// How many came before.
    let number: Int

    func receive(_ ending: Ending) {
        // A receipt that goes away speaks once more.
        guard sink.isCurrent(number) else { return }
        if let error = ending.error, task.goesOn(after: self, error) { return }
        task.receive(ending)
    }
}

/// Sends a download's request in the form that goes on from what is here, and once more where the answer doesn't.
private struct DownloadSource: SessionDataTaskDataSource, RelaySource {
    let base: any SessionDataTaskDataSource
    let sink: DownloadSink

    var judge: any RelayJudge { sink }
    var timeout: Duration? { nil }

    func dataTask(
        with request: URLRequest, completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        RelayDataTask(sink.completed(request), self, completion)
    }

    func dataTask(with request: URLRequest, for attempt: RelayAttempt) -> any DataTask {
        let receipt = Receipt(attempt)
        return base.dataTask(with: request) { data, response, error in receipt(data, response, error) }
    }
}
