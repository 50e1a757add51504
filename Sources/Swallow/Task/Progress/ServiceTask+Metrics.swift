import Foundation

extension ServiceTask {
    /// The metrics of the transfer. `nil` before the task completes, for a response from a cache, and if the data
    /// source doesn't measure transfers.
    public var metrics: TransferMetrics? {
        let exchange = core.withLock { $0.exchange }
        guard var metrics = exchange.completedTransfer?.facts.metrics else { return nil }
        metrics.add(exchange)
        return metrics
    }

    /// The header fields that the server sent after the body (RFC 9110 §6.5). Empty before the task completes. Over
    /// HTTP/2, libcurl doesn't deliver them if the response has a `Content-Length`.
    public var trailers: Headers { core.withLock { $0.exchange.completedTransfer }?.facts.trailers ?? [:] }

    func noteDownloaded() {
        guard let counted = downloadSink?.progress(TransferProgress()), counted.received > 0,
            let watch = core.withLock({ $0.progress }), var final = watch.final
        else { return }
        final.received = max(final.received, counted.received)
        watch.noteFinal(final)
    }

    func storeFinalProgress() {
        let download = downloadSink
        let (watch, transfer) = core.withLock { core in
            // The transfer doesn't count the bytes of earlier downloads.
            if download != nil, core.progress == nil { core.progress = ProgressWatch() }
            return (core.progress, core.exchange.completedTransfer)
        }
        guard let watch, let progress = transfer?.facts.progress else { return }
        watch.noteFinal(download?.progress(progress) ?? progress)
    }
}
