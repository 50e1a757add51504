import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Decides whether a body that comes in parts goes to a sink or into memory. Makes no calls.
///
/// The task takes one step at a time under its lock, and makes the call outside it, so calls to a sink never overlap. A
/// body without a sink, and that of a failure, is collected in memory and goes through the pipeline.
struct BodyClaim: Sendable {
    /// A call to the sink.
    enum Step: Sendable {
        case begin(any BodySink, HTTPURLResponse)
        case receive(any BodySink, Data)
        case finish(any BodySink, HTTPURLResponse)
        case fail(any BodySink, ServiceError)

        fileprivate var isFinish: Bool { if case .finish = self { true } else { false } }
        fileprivate var isFail: Bool { if case .fail = self { true } else { false } }
    }

    typealias HeadWaiter = @Sendable (HTTPURLResponse) -> Void

    private enum Phase {
        /// There is no head yet.
        case waiting
        /// The body is collected in memory; `isFree` says whether a sink may still claim it.
        case collecting(isFree: Bool)
        /// The sink has been given the head.
        case streaming
        /// The sink has the whole body, and has yet to call the completion of `finish`.
        case finishing
        /// The sink's `begin` has failed, so nothing but `fail` follows.
        case refused
        /// The body or the task has ended. A sink that got no parts may still get the whole body in the handler chain.
        case ended
    }

    private var phase = Phase.waiting
    private(set) var head: HTTPURLResponse?
    private(set) var byteCount = 0
    private(set) var isClaimed = false
    private(set) var sink: (any BodySink)?
    private var collected = Data()
    private var headWaiters: [HeadWaiter] = []
    /// When the last byte came, or the data source was last let go on.
    private var lastActivity: Date?
    private var steps: [Step] = []
    private var isCarryingOut = false

    init() {}

    /// Makes the claim of a sink that gets the body from the start.
    init(claimedBy sink: any BodySink) {
        isClaimed = true
        self.sink = sink
    }

    /// Whether the sink has the body, and the pipeline has no part in it.
    var isStreaming: Bool {
        switch phase {
        case .streaming, .finishing, .refused: true
        case .waiting, .collecting, .ended: false
        }
    }

    /// Whether the sink has yet to call the completion of `finish`.
    private var isFinishing: Bool { if case .finishing = phase { true } else { false } }

    /// Gives the body to a sink, with what has been collected.
    ///
    /// - Returns: false if it was claimed before.
    mutating func claim(_ sink: any BodySink) -> Bool {
        if isClaimed { return false }
        isClaimed = true
        self.sink = sink
        if case .collecting(isFree: true) = phase { startStreaming() }
        return true
    }

    private mutating func startStreaming() {
        guard let sink, let head else { return }
        phase = .streaming
        steps.append(.begin(sink, head))
        let bytes = collected
        collected = Data()
        if !bytes.isEmpty { steps.append(.receive(sink, bytes)) }
    }
}

// MARK: - Receiving

extension BodyClaim {
    /// Takes the head, unless there is one.
    ///
    /// - Parameter isFree: whether a sink may have what follows.
    /// - Returns: the waiters to call with the head.
    mutating func receive(_ head: HTTPURLResponse, isFree: Bool) -> [HeadWaiter] {
        guard case .waiting = phase else { return [] }
        self.head = head
        phase = .collecting(isFree: isFree)
        guard isFree else { return [] }
        startStreaming()
        defer { headWaiters = [] }
        return headWaiters
    }

    /// Takes the next bytes.
    ///
    /// - Parameter limit: how many bytes of a body may be collected in memory.
    /// - Returns: false if the body is longer.
    mutating func receive(_ bytes: Data, limit: @autoclosure () -> Int) -> Bool {
        if bytes.isEmpty { return true }
        switch phase {
        case .streaming:
            byteCount += bytes.count
            if let sink { steps.append(.receive(sink, bytes)) }
        case .collecting:
            byteCount += bytes.count
            guard byteCount <= limit() else { return false }
            if collected.isEmpty { collected = bytes } else { collected.append(bytes) }
        case .waiting, .finishing, .refused, .ended: break
        }
        return true
    }

    /// Drops all steps but the failure, since the sink's `begin` has failed.
    mutating func refuse() {
        steps = steps.filter(\.isFail)
        if isStreaming { phase = .refused }
    }

    /// Takes the end of the body.
    ///
    /// - Returns: the body, if it is not the sink's.
    mutating func complete() -> Data? {
        switch phase {
        case .streaming:
            phase = .finishing
            if let sink, let head { steps.append(.finish(sink, head)) }
            return nil
        case .waiting, .collecting:
            phase = .ended
            defer { collected = Data() }
            return collected
        case .finishing, .refused, .ended: return nil
        }
    }

    /// The task has ended. What came before an error is still given before it, unless the task was cancelled.
    ///
    /// - Parameter error: why, where that isn't a success.
    /// - Returns: the waiters, which the caller releases without the lock.
    mutating func end(with error: ServiceError?) -> [HeadWaiter] {
        if let sink, isStreaming || !sink.acceptsCollectedBody {
            // A success before the sink has finished is other content than the sink's, so the sink gets `.cancelled`.
            if let error = error ?? (isFinishing ? nil : .cancelled) {
                steps = error.isCancelled ? [] : steps.filter { !$0.isFinish }
                steps.append(.fail(sink, error))
            }
            self.sink = nil
        }
        phase = .ended
        collected = Data()
        defer { headWaiters = [] }
        return headWaiters
    }

    /// Whether a call of the sink's `fail` is due.
    var failsSink: Bool { steps.contains(where: \.isFail) }

    /// Takes out a sink that got no parts: the handler chain then gives it the whole body, or the failure.
    mutating func takeUnserved() -> (any BodySink)? { sink.take() }

    /// Adds a waiter for the head.
    ///
    /// - Returns: the head, if it is here.
    mutating func wait(_ waiter: @escaping HeadWaiter) -> HTTPURLResponse? {
        switch phase {
        case .waiting:
            headWaiters.append(waiter)
            return nil
        case .collecting(isFree: true), .streaming, .finishing, .refused: return head
        case .collecting(isFree: false), .ended: return nil
        }
    }

    /// The next call; nil if another thread is making one, or none is due.
    mutating func nextStep(isCarrier: Bool) -> Step? {
        if isCarryingOut, !isCarrier { return nil }
        isCarryingOut = !steps.isEmpty
        return steps.isEmpty ? nil : steps.removeFirst()
    }
}

// MARK: - Time

extension BodyClaim {
    /// Notes that something came, or that the data source may go on.
    mutating func noteActivity(_ now: Date) { lastActivity = now }

    /// How long the sink may still wait for a byte; zero or less once the timeout is over. Nil unless a sink gets the body:
    /// then the timeout is for the whole request.
    ///
    /// - Parameter isHeld: whether the data source is paused.
    func idleTime(leftOf timeout: Duration, _ now: Date, isHeld: Bool) -> Duration? {
        guard isStreaming, let lastActivity else { return nil }
        if isHeld || isFinishing { return timeout }
        // A clock that was set back doesn't lengthen the timeout.
        return timeout - Duration(clamping: max(0, now.timeIntervalSince(lastActivity)))
    }
}
