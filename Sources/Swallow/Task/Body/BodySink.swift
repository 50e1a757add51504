import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A destination of a response's body other than memory: a file, a handler or an async sequence.
///
/// For a success, the task calls `begin`, then `receive` for each body part, then `complete`. These calls never overlap, and
/// most of them come on a thread of the data source, which a sink must not block. The task may call `fail` at any time, also
/// during another call. A sink ignores the calls after `fail`. For a response that isn't a success, the task calls only `fail`.
protocol BodySink: AnyObject, Sendable {
    typealias Completion = @Sendable (Result<Entity<any Sendable>, ServiceError>) -> Void

    /// Whether a reader receives the error that was passed to `fail`, so that the error counts as handled.
    var receivesFailure: Bool { get }

    /// Completes the request before it is sent, for example with header fields.
    func prepare(_ request: inout URLRequest)

    /// Whether the sink accepts the body that follows a head. By default, it accepts the body of a success.
    func accepts(_ head: HTTPURLResponse, isSuccess: Bool) -> Bool

    /// Receives the head. The task calls this under its lock.
    func begin(_ head: HTTPURLResponse, for owner: SinkOwner)

    /// Receives a body part, which is never empty.
    ///
    /// - Returns: `.pause` if the sink is full. It reports to its owner once when it has room again.
    func receive(_ bodyPart: Data) -> Flow

    /// Whether the sink is full now. The task reads this under its lock.
    var flow: Flow { get }

    /// Receives the end of a complete body.
    ///
    /// - Parameter completion: Receives the entity with which the task succeeds, or the error with which it fails. The sink
    ///   calls it on any thread, also within this call.
    func complete(_ completion: @escaping Completion)

    /// Receives the error with which the task fails.
    ///
    /// - Parameter completion: Lets the handler chain continue. A sink calls it after it has removed the files that nobody
    ///   needs, on any thread, also within this call.
    func fail(with error: ServiceError, completion: @escaping @Sendable () -> Void)

    /// Whether the sink accepts the collected body of a success. The default is `true`. Otherwise, the task calls `fail`.
    var acceptsCollectedBody: Bool { get }

    /// Receives the collected body of a success after the task has completed, instead of the calls above. If this throws,
    /// the handler chain fails, and `fail` is called.
    func receiveCollectedBody(_ bytes: Data, after head: HTTPURLResponse) throws
}

extension BodySink {
    var receivesFailure: Bool { true }

    func prepare(_ request: inout URLRequest) {}

    func accepts(_ head: HTTPURLResponse, isSuccess: Bool) -> Bool { isSuccess }

    func fail(with error: ServiceError) { fail(with: error) {} }

    var acceptsCollectedBody: Bool { true }

    func receiveCollectedBody(_ bytes: Data, after head: HTTPURLResponse) throws {
        begin(head, for: SinkOwner(task: nil))
        if !bytes.isEmpty { _ = receive(bytes) }
        complete { _ in }
    }
}

/// The task that writes its response's body to a sink. A sink may call these functions on any thread.
struct SinkOwner: Sendable {
    private weak let task: ServiceTask?

    init(task: ServiceTask?) {
        self.task = task
    }

    /// Whether the task hasn't completed.
    var isPending: Bool { task?.core.withLock { !$0.exchange.isComplete } ?? false }

    /// Resumes the transfer, unless the caller has suspended the task.
    func sinkHasRoom() { task?.holdBody() }

    /// Cancels the transfer and fails the task, which then calls the sink's `fail`.
    func fail(with error: ServiceError) {
        guard let task else { return }
        task.failBody(with: ServiceError(thrown: error, request: task.request))
    }
}
