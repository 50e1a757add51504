import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A destination of a response's body other than memory: a file, a handler or an async sequence. The task calls
/// `begin`, then `receive` for each body part, then `complete`. These calls never overlap and must not block. At any
/// time, the task may call `fail`, after which the sink ignores all calls. A failed response only leads to `fail`.
protocol BodySink: AnyObject, Sendable {
    typealias Completion = @Sendable (Result<Entity<any Sendable>, ServiceError>) -> Void

    /// Whether a reader receives the error of `fail`, so that the error counts as handled.
    var receivesFailure: Bool { get }

    func prepare(_ request: inout URLRequest)

    func accepts(_ head: HTTPURLResponse, isSuccess: Bool) -> Bool

    /// Called under the task's lock.
    func begin(_ head: HTTPURLResponse, for owner: SinkOwner)

    /// Receives bytes, which are never empty. A sink that returns `.pause` calls `sinkHasRoom()` later.
    func receive(_ bodyPart: Data) -> Flow

    var flow: Flow { get }

    /// The sink calls `completion` with the task's entity or error, on any thread, even within this call.
    func complete(_ completion: @escaping Completion)

    /// The sink removes unneeded files, and then calls `completion`, on any thread, so that the chain continues.
    func fail(with error: ServiceError, completion: @escaping @Sendable () -> Void)

    /// Whether the sink accepts the collected body of a success. `true` by default. Otherwise, the task calls `fail`.
    var acceptsCollectedBody: Bool { get }

    /// Replaces the calls above after the task has completed. If this throws, the chain fails, and `fail` is called.
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

struct SinkOwner: Sendable {
    private weak let task: ServiceTask?

    init(task: ServiceTask?) {
        self.task = task
    }

    var isPending: Bool { task?.core.withLock { !$0.exchange.isComplete } ?? false }

    func sinkHasRoom() { task?.updateSinkFlow() }

    func fail(with error: ServiceError) {
        guard let task else { return }
        task.failBody(with: ServiceError(thrown: error, request: task.request))
    }
}
