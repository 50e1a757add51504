import Foundation

/// Decides whether a response's body is collected in memory or written to a sink. A failure's body is collected.
struct BodyDestination: Sendable {
    typealias HeadWaiter = @Sendable (HTTPURLResponse) -> Void

    private enum State: Sendable {
        case waitingForHead((any BodySink)?)
        case collecting
        case collectingFailure((any BodySink)?)
        case streaming(any BodySink)
        case completing(any BodySink)
        case complete(LateSink)
    }

    private enum LateSink: Sendable {
        case none
        case waiting(any BodySink)
        case served
    }

    private var state: State
    private(set) var head: HTTPURLResponse?
    private(set) var byteCount = 0
    private var collected = Data()
    private var headWaiters: [HeadWaiter] = []
    private var lastActivity: Date?

    init(sink: (any BodySink)? = nil) {
        state = .waitingForHead(sink)
    }
}

extension BodyDestination {
    var sink: (any BodySink)? {
        switch state {
        case .waitingForHead(let sink), .collectingFailure(let sink): sink
        case .streaming(let sink), .completing(let sink): sink
        case .collecting, .complete: nil
        }
    }

    var hasSink: Bool {
        switch state {
        case .complete(.none): false
        case .complete: true
        default: sink != nil
        }
    }

    /// Whether a sink receives the body. The pipeline then doesn't run.
    var isStreaming: Bool { if case .streaming = state { true } else { isCompleting } }

    private var isCompleting: Bool { if case .completing = state { true } else { false } }

    var flow: Flow { if case .streaming(let sink) = state { sink.flow } else { .more } }

    /// Sets the sink and passes it the collected bytes of a success. Returns `false` if there is a sink already.
    mutating func setSink(_ sink: any BodySink, of owner: SinkOwner) -> Bool {
        switch state {
        case .waitingForHead(nil): state = .waitingForHead(sink)
        case .collectingFailure(nil): state = .collectingFailure(sink)
        case .collecting: startStreaming(to: sink, owner)
        case .complete(.none): state = .complete(.waiting(sink))
        case .waitingForHead, .collectingFailure, .streaming, .completing, .complete: return false
        }
        return true
    }

    private mutating func startStreaming(to sink: any BodySink, _ owner: SinkOwner) {
        guard let head else { return }
        state = .streaming(sink)
        sink.begin(head, for: owner)
        if !collected.isEmpty { sink.receive(collected) }
        collected = Data()
    }

    private var unservedSink: (any BodySink)? {
        switch state {
        case .waitingForHead(let sink), .collectingFailure(let sink): sink
        case .complete(.waiting(let sink)): sink
        case .collecting, .streaming, .completing, .complete: nil
        }
    }

    mutating func takeLateSink() -> (any BodySink)? {
        guard let sink = unservedSink else { return nil }
        state = .complete(.served)
        return sink
    }
}

extension BodyDestination {
    /// Receives the head. After a success, returns the closures that wait for it, to be called outside the lock.
    mutating func begin(after head: HTTPURLResponse, acceptsSink: Bool, _ owner: SinkOwner) -> [HeadWaiter] {
        guard case .waitingForHead(let sink) = state else { return [] }
        self.head = head
        state = acceptsSink ? .collecting : .collectingFailure(sink)
        guard acceptsSink else { return [] }
        if let sink { startStreaming(to: sink, owner) }
        defer { headWaiters = [] }
        return headWaiters
    }

    enum Reception: Sendable {
        case done
        case tooLong
        case pass(any BodySink)
    }

    mutating func add(_ bodyPart: Data, limit: @autoclosure () -> Int) -> Reception {
        if bodyPart.isEmpty { return .done }
        switch state {
        case .streaming(let sink):
            byteCount += bodyPart.count
            return .pass(sink)
        case .collecting, .collectingFailure:
            byteCount += bodyPart.count
            guard byteCount <= limit() else { return .tooLong }
            if collected.isEmpty { collected = bodyPart } else { collected.append(bodyPart) }
            return .done
        case .waitingForHead, .completing, .complete: return .done
        }
    }

    enum Completion: Sendable {
        case collected(Data)
        case sink(any BodySink)
        case none
    }

    mutating func complete() -> Completion {
        switch state {
        case .streaming(let sink):
            state = .completing(sink)
            return .sink(sink)
        case .waitingForHead, .collecting, .collectingFailure:
            state = .complete(unservedSink.map { .waiting($0) } ?? .none)
            defer { collected = Data() }
            return .collected(collected)
        case .completing, .complete: return .none
        }
    }

    mutating func wait(_ waiter: @escaping HeadWaiter) -> HTTPURLResponse? {
        switch state {
        case .waitingForHead:
            headWaiters.append(waiter)
            return nil
        case .collecting, .streaming, .completing: return head
        case .collectingFailure, .complete: return nil
        }
    }
}

extension BodyDestination {
    struct Rest: Sendable {
        let headWaiters: [HeadWaiter]
        let sink: (any BodySink)?
        let error: ServiceError?
    }

    mutating func end(with error: ServiceError?) -> Rest {
        defer {
            collected = Data()
            headWaiters = []
        }
        if let sink = unservedSink, sink.acceptsCollectedBody {
            state = .complete(.waiting(sink))
            return Rest(headWaiters: headWaiters, sink: nil, error: nil)
        }
        guard let sink = sink ?? unservedSink else {
            if !hasSink { state = .complete(.none) }
            return Rest(headWaiters: headWaiters, sink: nil, error: nil)
        }
        // If a task succeeds before its sink is complete, its content is from elsewhere, for example from a cache.
        let error = isCompleting ? error : error ?? .cancelled
        state = .complete(.served)
        return Rest(headWaiters: headWaiters, sink: sink, error: error)
    }
}

extension BodyDestination {
    mutating func noteActivity(_ now: Date) { lastActivity = now }

    /// Returns `nil` while no sink receives the body, because the timeout then counts from the start of the task.
    func idleTime(leftOf timeout: Duration, _ now: Date, isPaused: Bool) -> Duration? {
        guard isStreaming, let lastActivity else { return nil }
        // A tunnel may be idle for any time.
        if isPaused || isCompleting || head?.statusCode == 101 { return timeout }
        // If the clock was set back, this is at most the timeout.
        return timeout - Duration(clamping: max(0, now.timeIntervalSince(lastActivity)))
    }
}

/// A destination of a response's body, such as a file or a handler. The task calls `begin`, then `receive` for each
/// body part, then `complete`. These calls never overlap and must not block. The task may call `fail` at any time.
protocol BodySink: AnyObject, Sendable {
    typealias Completion = @Sendable (Result<Entity<any Sendable>, ServiceError>) -> Void

    /// Whether a reader receives the error of `fail`, so that the error counts as handled.
    var receivesFailure: Bool { get }

    func prepare(_ request: inout URLRequest)

    func accepts(_ head: HTTPURLResponse, isSuccess: Bool) -> Bool

    /// May be called under the task's lock.
    func begin(_ head: HTTPURLResponse, for owner: SinkOwner)

    /// Receives bytes, which are never empty. May be called under the task's lock.
    func receive(_ bodyPart: Data)

    /// `.pause` if the sink is full. The sink calls `sinkHasRoom()` when it has room again.
    var flow: Flow { get }

    /// Unless `fail` is called, the sink calls `completion` with an entity or an error, perhaps within this call.
    func complete(_ completion: @escaping Completion)

    /// The sink removes unneeded files, and then calls `completion`, on any thread, so that the chain continues.
    func fail(with error: ServiceError, completion: @escaping @Sendable () -> Void)

    /// Whether the sink accepts the collected body of a success. By default, it does. If not, the task calls `fail`.
    var acceptsCollectedBody: Bool { get }

    /// Called instead of `begin`, `receive` and `complete`. If this throws, the task calls `fail`, and the chain fails.
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
        if !bytes.isEmpty { receive(bytes) }
        complete { _ in }
    }
}

struct SinkOwner: Sendable {
    private weak let task: ServiceTask?

    init(task: ServiceTask?) {
        self.task = task
    }

    var isTaskComplete: Bool { task?.core.withLock { $0.exchange.isComplete } ?? true }

    func sinkHasRoom() { task?.updateSinkFlow() }

    func fail(with error: ServiceError) {
        guard let task else { return }
        task.failBody(with: ServiceError(thrown: error, request: task.request))
    }
}
