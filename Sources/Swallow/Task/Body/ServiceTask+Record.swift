import Foundation

/// What is known of a transfer once it has ended.
struct TransferRecord: Sendable {
    let metrics: TransferMetrics?
    let trailers: Headers
}

extension ServiceTask {
    /// How the transfer went: there once the task has ended, where the data source measures it. A response that a cache gave
    /// has none.
    public var metrics: TransferMetrics? { core.withLock { $0.record?.metrics } }

    /// The fields that came after the body (RFC 9110 §6.5): there once the task has ended, and none before.
    public var trailers: Headers { core.withLock { $0.record?.trailers } ?? [:] }

    /// Asks the data task, which is about to go, what it knows.
    func keepRecord(of dataTask: any DataTask) {
        let record = TransferRecord(metrics: dataTask.transferMetrics, trailers: dataTask.trailers)
        let watch = core.withLock { core in
            if record.metrics != nil || !record.trailers.isEmpty { core.record = record }
            return core.progress
        }
        watch?.noteFinal(dataTask.transferProgress)
    }
}
