import Foundation

/// The metrics and trailers of a completed transfer.
enum TransferRecord: Sendable {
    /// A data task of one of the library's own data sources. It computes the metrics when the app reads them. After it has
    /// completed, it has no reference to the service's task.
    case lasting(any DataTask)
    case known(TransferMetrics?, trailers: Headers)

    /// Returns `nil` if the data task has neither metrics nor trailers.
    init?(of dataTask: any DataTask, isCarrier: Bool) {
        if isCarrier || type(of: dataTask) == ExchangeDataTask.self {
            self = .lasting(dataTask)
            return
        }
        let (metrics, trailers) = (dataTask.transferMetrics, dataTask.trailers)
        if metrics == nil, trailers.isEmpty { return nil }
        self = .known(metrics, trailers: trailers)
    }

    var metrics: TransferMetrics? {
        switch self {
        case .lasting(let dataTask): dataTask.transferMetrics
        case .known(let metrics, _): metrics
        }
    }

    var trailers: Headers {
        switch self {
        case .lasting(let dataTask): dataTask.trailers
        case .known(_, let trailers): trailers
        }
    }
}

extension ServiceTask {
    /// The metrics of the transfer. They are available after the task completes, if the data source measures them and the
    /// response didn't come from a cache.
    public var metrics: TransferMetrics? {
        let (record, exchange) = core.withLock { ($0.record, $0.exchange) }
        guard var metrics = record?.metrics else { return nil }
        metrics.add(exchange)
        return metrics
    }

    /// The header fields that were sent after the body (RFC 9110 §6.5). They are available after the task completes. Over
    /// HTTP/2, libcurl doesn't deliver them if the response has a `Content-Length`.
    public var trailers: Headers { core.withLock { $0.record }?.trailers ?? [:] }

    /// Adds the earlier bytes of a download to the final counts, even if the data source doesn't count.
    func noteDownloaded() {
        guard let counted = downloadSink?.progress(TransferProgress()), counted.received > 0,
            let watch = core.withLock({ $0.progress }), var final = watch.final
        else { return }
        final.received = max(final.received, counted.received)
        watch.noteFinal(final)
    }

    /// Stores the record and the final progress of a data task before it is released.
    func keep(_ record: TransferRecord?, of dataTask: any DataTask) {
        let download = downloadSink
        let watch = core.withLock { core in
            core.record = record
            // The data task doesn't count the bytes of earlier downloads.
            if download != nil, core.progress == nil { core.progress = ProgressWatch() }
            return core.progress
        }
        guard let watch else { return }
        let transfer = dataTask.transferProgress
        watch.noteFinal(download?.progress(transfer) ?? transfer)
    }
}
