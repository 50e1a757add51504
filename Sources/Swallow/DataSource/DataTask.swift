import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request and its response. Its functions may be called from any thread, in any order, any number of times.
///
/// A data task needs only the first three functions. By default, the complete body arrives with the completion, and
/// progress, metrics and trailers are unknown. Every streaming API also works with this task.
public protocol DataTask: Sendable {
    /// Starts the task, or continues it after `suspend()`. Does nothing after `cancel()` or the completion.
    func resume()
    /// Pauses the task until `resume()`.
    func suspend()
    /// Completes the task promptly with `URLError(.cancelled)`. Does nothing after the completion.
    func cancel()

    /// Delivers the body in parts from now on. By default, the complete body arrives with the completion.
    ///
    /// The head is the first part. Bytes that had arrived before this call follow it. The body consists of all body
    /// parts, in order, followed by the completion's data. Each byte is delivered once. A receiver that is set before
    /// `resume()` is stored. Only the first receiver counts. It is released at the completion.
    ///
    /// Calls of the receiver never overlap, never follow the completion, and never happen inside this task's own
    /// functions. After `suspend()`, no call begins until `resume()`. The completion waits as well, unless the task is
    /// cancelled.
    ///
    /// - Parameter receiver: Receives the parts on a queue of the data source, where it must not wait.
    func stream(to receiver: @escaping @Sendable (ResponsePart) -> Void)

    /// The progress so far. Unknown by default.
    var transferProgress: TransferProgress { get }

    /// The metrics of the transfer. Available when the completion is called. `nil` by default.
    var transferMetrics: TransferMetrics? { get }

    /// The fields after the body (RFC 9110 §6.5). Available when the completion is called. Empty by default.
    var trailers: Headers { get }
}

extension DataTask {
    /// Does nothing. The complete body arrives with the completion.
    public func stream(to receiver: @escaping @Sendable (ResponsePart) -> Void) {}
    /// An unknown progress.
    public var transferProgress: TransferProgress { TransferProgress() }
    /// `nil`, because nothing is known.
    public var transferMetrics: TransferMetrics? { nil }
    /// No fields.
    public var trailers: Headers { [:] }
}

extension URLSessionTask: DataTask {}

extension TransferFacts {
    init(_ dataTask: any DataTask) {
        // A managed data task computes all facts for each property. The check of its type costs less than a cast.
        if type(of: dataTask) is ManagedDataTask.Type, let managed = dataTask as? ManagedDataTask {
            self = managed.facts
        } else {
            progress = dataTask.transferProgress
            metrics = dataTask.transferMetrics
            trailers = dataTask.trailers
        }
    }
}

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
    /// A data source that wraps another one and reads the completion's data returns its base's task in this form.
    public var whole: any DataTask { ForwardingDataTask(base: self, isStreamed: false) }
}
