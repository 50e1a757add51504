import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension DataTask {
    /// This task without streaming: its body comes whole, with the completion.
    ///
    /// For a data source that wraps another and reads the completion's data: it returns its base's task in this form.
    public var whole: any DataTask { WholeDataTask(base: self) }
}

/// A data task that leaves out `stream(to:)`.
private struct WholeDataTask: DataTask {
    let base: any DataTask

    func resume() { base.resume() }
    func suspend() { base.suspend() }
    func cancel() { base.cancel() }
    var transferProgress: TransferProgress { base.transferProgress }
    var transferMetrics: TransferMetrics? { base.transferMetrics }
    var trailers: Headers { base.trailers }
}
