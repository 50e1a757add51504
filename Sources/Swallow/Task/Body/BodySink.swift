import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Takes a response's body in place of memory.
///
/// `begin` comes first, then `receive` for each part, then `finish`; `fail` may come at any time in their place, also
/// after a `begin` that threw, and while `finish` is under way. The calls come one at a time, on a thread of the data
/// source's as a rule, on which a sink must not wait. Of a body that isn't a success nothing comes but `fail`.
protocol BodySink: AnyObject, Sendable {
    /// Whether `fail` brings the failure to a reader, so that it isn't unhandled.
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

    /// There will be no more.
    func fail(_ error: ServiceError)

    /// Whether the sink takes a success that didn't come in parts. Otherwise `fail` comes in its place; by default it does.
    var takesWhole: Bool { get }

    /// Takes a success that didn't come in parts, after the task's end, in place of the calls above. A throw fails the
    /// chain; then `fail` comes.
    func takeWhole(_ head: HTTPURLResponse, _ bytes: Data) throws
}

extension BodySink {
    var receivesFailure: Bool { true }

    func prepare(_ request: inout URLRequest) throws(ServiceError) {}

    func takes(_ head: HTTPURLResponse, isSuccess: Bool) -> Bool { isSuccess }

    var takesWhole: Bool { true }

    func takeWhole(_ head: HTTPURLResponse, _ bytes: Data) throws {
        try begin(head, BodyFlow(task: nil))
        if !bytes.isEmpty { receive(bytes) }
        finish { _ in }
    }
}

/// What a sink may do about the transfer that feeds it; nothing once that has ended. Any thread may call it.
struct BodyFlow: Sendable {
    private weak let task: ServiceTask?

    init(task: ServiceTask?) {
        self.task = task
    }

    /// Holds the data source back, whatever the user wants, or lets it go on as far as the user does. What it has begun to give
    /// still comes.
    ///
    /// - Parameter isHeld: says which, under the task's lock: so of several threads the last one to say it is right.
    func update(_ isHeld: () -> Bool) { task?.holdBody(isHeld) }

    /// Whether the task has yet to end.
    var isOpen: Bool { task?.core.withLock { !$0.exchange.control.hasEnded } ?? false }

    /// Ends the transfer, and the task, with an error; `fail` follows.
    func fail(with error: ServiceError) {
        guard let task else { return }
        task.failBody(with: ServiceError(thrown: error, request: task.request))
    }
}
