import Foundation

extension ServiceTask {
    /// The current progress of the transfer. Some data sources only begin to count when you first read it.
    public var progress: TransferProgress {
        watchProgress().snapshot(knownProgress(), at: now)
    }

    /// Reports to a handler on the main actor how much of the request's body has been sent.
    ///
    /// The handler is called about every 100 ms if the counts have changed. After a success, it is called once more
    /// with the final counts, before later handlers. If nothing counts the bytes, this is the only call.
    @discardableResult
    public func uploadProgress(_ handler: @escaping @MainActor (TransferProgress) -> Void) -> Self {
        report(.upload, handler)
    }

    /// Reports to a handler on a queue how much of the request's body has been sent. See ``uploadProgress(_:)``.
    @discardableResult
    public func uploadProgress(
        _ queue: DispatchQueue, _ handler: @escaping @Sendable (TransferProgress) -> Void
    ) -> Self {
        report(.upload, queue, handler)
    }

    /// Reports to a main-actor handler how much of the response's body was received, as ``uploadProgress(_:)`` does.
    @discardableResult
    public func downloadProgress(_ handler: @escaping @MainActor (TransferProgress) -> Void) -> Self {
        report(.download, handler)
    }

    /// Reports to a handler on a queue how much of the response's body has been received. See ``downloadProgress(_:)``.
    @discardableResult
    public func downloadProgress(
        _ queue: DispatchQueue, _ handler: @escaping @Sendable (TransferProgress) -> Void
    ) -> Self {
        report(.download, queue, handler)
    }

    private func report(
        _ direction: ProgressListener.Direction, _ handler: @escaping @MainActor (TransferProgress) -> Void
    ) -> Self {
        report(direction, .mainActor) { progress in MainActor.assumeIsolated { handler(progress) } }
    }

    private func report(
        _ direction: ProgressListener.Direction, _ queue: DispatchQueue,
        _ handler: @escaping @Sendable (TransferProgress) -> Void
    ) -> Self {
        let listener = ProgressListener(direction, queue, handler)
        watchProgress().add(listener)
        attach(
            HandlerLink(listener.queue, .head, onlyWatches: true) { [weak self] adapter in
                guard let self else { return nil }
                listener.finish(knownProgress(with: adapter))
                return nil
            })
        startWatch()
        return self
    }
}

extension ServiceTask {
    /// The counts of the current transfer, or of the transfer that completed the task. A download also counts the bytes
    /// of its file. Without a transfer, only a download that isn't complete has counts.
    var transferProgress: TransferProgress? {
        let (exchange, download) = core.withLock { ($0.exchange, $0.rareState?.download) }
        let transfer = exchange.transfer ?? exchange.completedTransfer
        if transfer == nil, exchange.isComplete { return nil }
        let progress = transfer?.facts.progress
        return download.map { $0.progress(progress) } ?? progress
    }

    func startWatch() {
        let (watch, isCreated) = core.withLock { ($0.progress, $0.exchange.isNotSent) }
        if let watch, !isCreated { watch.start(for: self) }
    }

    private func watchProgress() -> ProgressWatch {
        let (watch, hasEnded) = core.withLock { core in
            let watch = core.progress ?? ProgressWatch()
            core.progress = watch
            return (watch, core.exchange.isComplete)
        }
        if hasEnded { watch.end() }
        return watch
    }

    /// Returns the counts of the transfer. If it doesn't count, returns the counts of its metrics or of the content.
    private func knownProgress(with content: PipelineAdapter? = nil) -> TransferProgress {
        if let counted = transferProgress, counted != TransferProgress() { return counted }
        let (transfer, byteCount) = core.withLock {
            ($0.exchange.completedTransfer, $0.rareState?.body?.byteCount ?? 0)
        }
        if let metrics = transfer?.facts.metrics {
            return TransferProgress(
                sent: metrics.bytesSent, received: metrics.bytesReceived, expectedToSend: metrics.bytesSent,
                expectedToReceive: metrics.bytesReceived)
        }
        guard let content else { return TransferProgress() }
        let received = Int64(max(byteCount, (content.rawEntity.content as? Data)?.count ?? 0))
        let encoded = try? request.encoded()
        let sent = (try? encoded?.streamedBody?.measure()) ?? Int64(encoded?.httpBody?.count ?? 0)
        return TransferProgress(
            sent: sent, received: received, expectedToSend: sent, expectedToReceive: received)
    }
}

extension ServiceTask {
    /// The metrics of the final transfer. `nil` if it hasn't completed, or if the data source doesn't measure it.
    public var metrics: TransferMetrics? {
        let exchange = core.withLock { $0.exchange }
        guard var metrics = exchange.completedTransfer?.facts.metrics else { return nil }
        metrics.add(exchange)
        return metrics
    }

    /// The header fields after the body (RFC 9110 §6.5). Empty before the transfer completes, and over URLSession,
    /// which doesn't deliver them. Over HTTP/2, libcurl doesn't deliver them if the response has a `Content-Length`.
    public var trailers: Headers { core.withLock { $0.exchange.completedTransfer }?.facts.trailers ?? [:] }
}
