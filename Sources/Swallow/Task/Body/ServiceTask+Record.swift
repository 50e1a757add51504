import Foundation

/// The metrics and trailers of a transfer that has ended.
enum TransferRecord: Sendable {
    /// A data task of one of the library's own sources. It is asked only when the app reads the metrics: most never do.
    /// Once it has ended, it holds no reference to the service's task.
    case lasting(any DataTask)
    /// Indirect, so that it makes no task larger.
    indirect case known(TransferMetrics?, trailers: Headers)

    /// Nil where nothing is known.
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
    /// How the transfer went: there once the task has ended, where the data source measures it. A response that a cache gave
    /// has none.
    public var metrics: TransferMetrics? {
        let (record, exchange) = core.withLock { ($0.record, $0.exchange) }
        guard var metrics = record?.metrics else { return nil }
        metrics.add(exchange)
        return metrics
    }

    /// The fields that came after the body (RFC 9110 §6.5): there once the task has ended, and none before.
    /// libcurl gives none over HTTP/2 after a body with a `Content-Length`.
    public var trailers: Headers { core.withLock { $0.record }?.trailers ?? [:] }

    /// Puts the length of a continued download into the final counts, also where the data source counts nothing.
    func noteDownloaded() {
        guard let counted = downloadSink?.progress(TransferProgress()), counted.received > 0,
            let watch = core.withLock({ $0.progress }), var final = watch.final
        else { return }
        final.received = max(final.received, counted.received)
        watch.noteFinal(final)
    }

    /// Keeps the record and the final progress of a data task that is about to be released.
    func keep(_ record: TransferRecord?, of dataTask: any DataTask) {
        let download = downloadSink
        let watch = core.withLock { core in
            core.record = record
            // The data task's counts leave out the bytes of earlier downloads.
            if download != nil, core.progress == nil { core.progress = ProgressWatch() }
            return core.progress
        }
        guard let watch else { return }
        let transfer = dataTask.transferProgress
        watch.noteFinal(download?.progress(transfer) ?? transfer)
    }
}
