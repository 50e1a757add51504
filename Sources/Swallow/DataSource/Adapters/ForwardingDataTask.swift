import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct ForwardingDataTask: DataTask {
    let base: any DataTask
    var isStreamed = true
    var willResume: @Sendable () -> Void = {}

    func resume() {
        willResume()
        base.resume()
    }

    func suspend() { base.suspend() }
    func cancel() { base.cancel() }
    func stream(to receiver: @escaping @Sendable (ResponsePart) -> Void) {
        if isStreamed { base.stream(to: receiver) }
    }
    var transferProgress: TransferProgress { base.transferProgress }
    var transferMetrics: TransferMetrics? { base.transferMetrics }
    var trailers: Headers { base.trailers }
}

extension DataTask {
    /// This task without streaming. The complete body arrives with the completion.
    ///
    /// A data source adapter that reads the completion's data must return this property of its base's task.
    public var whole: any DataTask { ForwardingDataTask(base: self, isStreamed: false) }
}
