import Dispatch
import Foundation

extension ServiceTask {
    /// How far the transfer is, as of now, by the data source's counts. Some data sources count only once this was
    /// read, so the first value may be empty.
    public var progress: TransferProgress {
        let watch = watchProgress()
        return watch.snapshot(currentTransfer ?? finalTransfer(watch), at: now)
    }

    /// Tells a handler on the main actor how much of the request's body has been sent.
    ///
    /// It is called when there is something new, at most every 100 ms, and after a success once with the final counts,
    /// before the handlers that follow. If the data source counts nothing, the final call is the only one.
    @discardableResult
    public func uploadProgress(_ handler: @escaping @MainActor (TransferProgress) -> Void) -> Self {
        tell(.upload, handler)
    }

    /// Tells a handler on a queue how much of the request's body has been sent.
    @discardableResult
    public func uploadProgress(
        _ queue: DispatchQueue, _ handler: @escaping @Sendable (TransferProgress) -> Void
    ) -> Self {
        tell(.upload, queue, handler)
    }

    /// Tells a handler on the main actor how much of the response's body is here.
    ///
    /// It is called when there is something new, at most every 100 ms, and after a success once with the final counts,
    /// before the handlers that follow. If the data source counts nothing, the final call is the only one.
    @discardableResult
    public func downloadProgress(_ handler: @escaping @MainActor (TransferProgress) -> Void) -> Self {
        tell(.download, handler)
    }

    /// Tells a handler on a queue how much of the response's body is here.
    @discardableResult
    public func downloadProgress(
        _ queue: DispatchQueue, _ handler: @escaping @Sendable (TransferProgress) -> Void
    ) -> Self {
        tell(.download, queue, handler)
    }

    private func tell(
        _ direction: ProgressListener.Direction, _ handler: @escaping @MainActor (TransferProgress) -> Void
    ) -> Self {
        tell(direction, .mainActor) { progress in MainActor.assumeIsolated { handler(progress) } }
    }

    private func tell(
        _ direction: ProgressListener.Direction, _ queue: DispatchQueue,
        _ handler: @escaping @Sendable (TransferProgress) -> Void
    ) -> Self {
        let listener = ProgressListener(direction, queue, handler)
        let watch = watchProgress()
        watch.add(listener)
        attach(
            HandlerLink(listener.queue, .head, onlyWatches: true) { [weak self] reader in
                guard let self else { return nil }
                listener.finish(finalTransfer(watch, of: reader.content))
                return nil
            })
        startWatch()
        return self
    }
}

extension ServiceTask {
    /// The current progress, a download's earlier bytes included; nil where nothing is known.
    var currentTransfer: TransferProgress? {
        let transfer = core.withLock { $0.exchange.control.current }?.transferProgress
        return downloadSink.map { $0.progress(transfer) } ?? transfer
    }

    /// Starts polling the progress, if there are listeners.
    func startWatch() {
        let (watch, isCreated) = core.withLock { ($0.progress, $0.exchange.control.isCreated) }
        if let watch, !isCreated { watch.start(for: self) }
    }

    private func watchProgress() -> ProgressWatch {
        let (watch, hasEnded) = core.withLock { core in
            let watch = core.progress ?? ProgressWatch()
            core.progress = watch
            return (watch, core.exchange.control.hasEnded)
        }
        if hasEnded { watch.end() }
        return watch
    }

    /// The final counts. Where the data source counted nothing, those of the bodies in memory.
    private func finalTransfer(_ watch: ProgressWatch, of content: ResponseContent? = nil) -> TransferProgress
    {
        let (record, byteCount) = core.withLock { ($0.record, $0.extras?.body?.byteCount ?? 0) }
        if let final = watch.final, final != TransferProgress() { return final }
        if let metrics = record?.metrics {
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
