/// What a data task knows of its transfer at its end, for those that can't keep the task.
struct TransferReport: Sendable {
    let progress: TransferProgress
    let metrics: TransferMetrics?
    let trailers: Headers

    init(_ dataTask: any DataTask) {
        progress = dataTask.transferProgress
        metrics = dataTask.transferMetrics
        trailers = dataTask.trailers
    }
}
