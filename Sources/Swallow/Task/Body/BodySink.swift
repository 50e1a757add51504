import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Takes a response's body in place of memory.
///
/// The task calls `begin`, then `receive` for each part, then `finish`. It may call `fail` instead at any time, also while
/// `finish` is under way: after the parts that came before the failure or, where the task was cancelled, at once. After a
/// `begin` that threw, only `fail` follows. Calls never overlap. Most come on a thread of the data source's, on which a sink
/// must not wait. For a response that isn't a success, only `fail` is called.
protocol BodySink: AnyObject, Sendable {
    /// Whether a reader sees the error given to `fail`, so that it counts as handled.
    var receivesFailure: Bool { get }

    /// Completes the request before it is sent: a `Range`, say. A throw ends the task with that error.
    func prepare(_ request: inout URLRequest) throws(ServiceError)

    /// Whether the sink takes the body that follows a head; by default if it is a success.
    func takes(_ head: HTTPURLResponse, isSuccess: Bool) -> Bool

    /// Takes the head. A throw ends the transfer with that error.
    ///
    /// - Parameter flow: holds the data source back where the sink can't keep up.
    func begin(_ head: HTTPURLResponse, _ flow: BodyFlow) throws(ServiceError)

    /// Takes the next bytes, never none.
    func receive(_ bytes: Data)

    /// The body is complete.
    ///
    /// - Parameter completion: takes the entity of the task's success, or why there is none; on any thread, also within
    ///   this call.
    func finish(_ completion: @escaping @Sendable (Result<Entity<any Sendable>, ServiceError>) -> Void)

    /// Takes the failure; no call follows.
    func fail(_ error: ServiceError)

    /// Takes the failure; no call follows. By default, calls `fail` and then the completion.
    ///
    /// - Parameter completion: Completes the task. A sink calls it after it has removed the files that nobody needs, on
    ///   any thread, also within this call.
    func fail(_ error: ServiceError, _ completion: @escaping @Sendable () -> Void)

    /// Whether the sink takes a success whose body didn't come in parts; true by default. If not, it gets `fail` instead.
    var takesWhole: Bool { get }

    /// Takes a success whose body didn't come in parts, instead of the calls above, once the task has ended. A throw fails the
    /// chain; `fail` follows.
    func takeWhole(_ head: HTTPURLResponse, _ bytes: Data) throws
}

extension BodySink {
    var receivesFailure: Bool { true }

    func prepare(_ request: inout URLRequest) throws(ServiceError) {}

    func takes(_ head: HTTPURLResponse, isSuccess: Bool) -> Bool { isSuccess }

    func fail(_ error: ServiceError, _ completion: @escaping @Sendable () -> Void) {
        fail(error)
        completion()
    }

    var takesWhole: Bool { true }

    func takeWhole(_ head: HTTPURLResponse, _ bytes: Data) throws {
        try begin(head, BodyFlow(task: nil))
        if !bytes.isEmpty { receive(bytes) }
        finish { _ in }
    }
}

/// Lets a sink control the transfer that feeds it, from any thread. Does nothing once the transfer has ended.
struct BodyFlow: Sendable {
    private weak let task: ServiceTask?

    init(task: ServiceTask?) {
        self.task = task
    }

    /// Pauses the data source, or lets it go on unless the user has suspended the task. A part under way still comes.
    ///
    /// - Parameter isHeld: whether to pause; asked under the task's lock, so that of concurrent calls the latest answer holds.
    func update(_ isHeld: () -> Bool) { task?.holdBody(isHeld) }

    /// Whether the task has yet to end.
    var isOpen: Bool { task?.core.withLock { !$0.exchange.control.hasEnded } ?? false }

    /// Ends the transfer, and the task, with an error; `fail` follows.
    func fail(with error: ServiceError) {
        guard let task else { return }
        task.failBody(with: ServiceError(thrown: error, request: task.request))
    }
}
