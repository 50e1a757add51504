import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request on its way. Its functions may be called from any thread, in any order, any number of times.
///
/// A data task needs the first three functions only. The others have defaults: the body comes whole, with the
/// completion, and nothing is known of the transfer. Every streaming API works over such a task, too.
public protocol DataTask: Sendable {
    /// Starts the task, or goes on after `suspend()`. After `cancel()`, or when it has ended, does nothing.
    func resume()
    /// Pauses the task until `resume()`.
    func suspend()
    /// Ends the task promptly with `URLError(.cancelled)`; when it has ended, does nothing.
    func cancel()

    /// Asks for the body in parts from here on. By default does nothing, and the body comes whole.
    ///
    /// The head is the first part; bytes that had arrived before follow it. The body is all parts, in order, and the
    /// completion's data: each byte comes once. A receiver given before `resume()` is remembered. Only the first
    /// receiver counts; it is released at the completion.
    ///
    /// Calls of the receiver never overlap, none comes after the completion, and none inside a call of this task's
    /// own functions. None begins after `suspend()` until `resume()`: what arrives meanwhile is held, the completion
    /// too, unless the task is cancelled.
    ///
    /// - Parameter receiver: called on a queue of the data source's, on which it must not wait.
    func stream(to receiver: @escaping @Sendable (ResponsePart) -> Void)

    /// How far the transfer is, as of now. By default nothing is known.
    var transferProgress: TransferProgress { get }

    /// How the transfer went; there once the completion is called. By default nil.
    var transferMetrics: TransferMetrics? { get }

    /// The fields that came after the body (RFC 9110 §6.5); there once the completion is called. By default none.
    var trailers: Headers { get }
}

extension DataTask {
    /// Does nothing: the body comes whole.
    public func stream(to receiver: @escaping @Sendable (ResponsePart) -> Void) {}
    /// Nothing is known.
    public var transferProgress: TransferProgress { TransferProgress() }
    /// Nothing is known.
    public var transferMetrics: TransferMetrics? { nil }
    /// There are none.
    public var trailers: Headers { [:] }
}

extension URLSessionTask: DataTask {}
