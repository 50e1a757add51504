import Foundation

/// One request and its response. Any thread may call the functions, in any order and any number of times.
///
/// Your own data task only needs the first three functions. By default, the complete body arrives with the completion,
/// and progress, metrics and trailers are unknown. Swallow's streaming functions also work with such a task. A service
/// task may keep its data tasks until it is released, and may read their properties at any time. These properties must
/// not read the service task.
public protocol DataTask: Sendable {
    /// Starts the task, or continues it after `suspend()`. Does nothing after `cancel()` or the completion.
    func resume()
    /// Pauses the task until `resume()`.
    func suspend()
    /// Completes the task promptly with `URLError(.cancelled)`. Does nothing after the completion.
    func cancel()

    /// Delivers the body in parts from now on. By default, the complete body arrives with the completion.
    ///
    /// The head is the first part. Bytes that arrived before this call follow it. The body consists of all body parts,
    /// in order, followed by the completion's data. Each byte is delivered once. The receiver may be set before
    /// `resume()`. Only the first receiver is called. The task releases it at the completion.
    ///
    /// Calls of the receiver never overlap, never follow the completion, and never happen inside this task's functions.
    /// Apart from a call that is already under way, the receiver isn't called and the task doesn't succeed between
    /// `suspend()` and `resume()`.
    ///
    /// - Parameter receiver: Receives the parts, on a thread that it must not block.
    func stream(to receiver: @escaping @Sendable (ResponsePart) -> Void)

    /// The progress so far. Unknown by default.
    var transferProgress: TransferProgress { get }

    /// The metrics of the transfer. Available when the completion is called. `nil` by default.
    var transferMetrics: TransferMetrics? { get }

    /// The header fields after the body (RFC 9110 §6.5). Available when the completion is called. Empty by default.
    var trailers: Headers { get }
}

extension DataTask {
    /// Does nothing. The complete body arrives with the completion.
    public func stream(to receiver: @escaping @Sendable (ResponsePart) -> Void) {}
    /// The progress of a data task that doesn't count bytes.
    public var transferProgress: TransferProgress { TransferProgress() }
    /// `nil`, because this data task measures nothing.
    public var transferMetrics: TransferMetrics? { nil }
    /// Empty, because this data task delivers no trailers.
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
    /// A data source adapter that reads the completion's data must return this property of its base's task.
    public var whole: any DataTask { ForwardingDataTask(base: self, isStreamed: false) }
}

/// A piece of a response, delivered as it arrives.
public enum ResponsePart: Sendable {
    /// The head of the response. The heads of redirects that the data source follows are omitted.
    case head(HTTPURLResponse)
    /// The next bytes of the body, at least one, usually with the content coding removed.
    case bytes(Data)
}
