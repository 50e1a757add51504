import Foundation

/// What is known of a transfer once it has ended.
enum TransferRecord: Sendable {
    /// A real source's own data task, which holds nothing of the task once it has ended: it is asked when a user wants to
    /// know, since most never do.
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

    /// Counts the whole of a download that went on, also where the data source counts nothing.
    func noteDownloaded() {
        guard let counted = downloadSink?.progress(TransferProgress()), counted.received > 0,
            let watch = core.withLock({ $0.progress }), var final = watch.final
        else { return }
        final.received = max(final.received, counted.received)
        watch.noteFinal(final)
    }

    /// Keeps what the data task, which is about to go, knows.
    func keep(_ record: TransferRecord?, of dataTask: any DataTask) {
        let download = downloadSink
        let watch = core.withLock { core in
            core.record = record
            // The data task's own record doesn't know what was here before.
            if download != nil, core.progress == nil { core.progress = ProgressWatch() }
            return core.progress
        }
        guard let watch else { return }
        let transfer = dataTask.transferProgress
        watch.noteFinal(download?.progress(transfer) ?? transfer)
    }
}
