import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Where a response's body goes that comes in parts: the decisions, without the calls.
///
/// Its task asks for one step at a time, under its lock, and carries it out without it, so a sink gets one call at a
/// time. Without a sink the body is collected, and goes the way of every other; so does one that isn't a success.
struct BodyClaim: Sendable {
    /// A call to the sink.
    enum Step: Sendable {
        case begin(any BodySink, HTTPURLResponse)
        case receive(any BodySink, Data)
        case finish(any BodySink, HTTPURLResponse)
        case fail(any BodySink, ServiceError)
    }

    typealias HeadWaiter = @Sendable (HTTPURLResponse) -> Void

    private enum Phase {
        /// There is no head yet.
        case waiting
        /// The body is kept in memory; `isFree` where a sink may still have it.
        case collecting(isFree: Bool)
        /// The sink has been given the head.
        case streaming
        /// The sink has all, and is about to say what came of it.
        case finishing
        /// Whatever the sink doesn't have yet, it gets as the task's handlers do, if at all.
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

    /// A body that a sink has from the start.
    init(claimedBy sink: any BodySink) {
        isClaimed = true
        self.sink = sink
    }

    /// Whether the sink has the body, and the pipeline has no part in it.
    var isStreaming: Bool {
        switch phase {
        case .streaming, .finishing: true
        case .waiting, .collecting, .ended: false
        }
    }

    /// Whether the sink is about to say what came of it.
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

// MARK: - What comes

extension BodyClaim {
    /// Takes the head, unless there is one.
    ///
    /// - Parameter isFree: whether a sink may have what follows.
    /// - Returns: who waits for it.
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
    /// - Parameter limit: how many are kept in memory.
    /// - Returns: false if they are more.
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
        case .waiting, .finishing, .ended: break
        }
        return true
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
        case .finishing, .ended: return nil
        }
    }

    /// The task has ended.
    ///
    /// - Parameter error: why, where that isn't a success.
    /// - Returns: the waiters, which the caller releases without the lock.
    mutating func end(with error: ServiceError?) -> [HeadWaiter] {
        if let sink, isStreaming || !sink.takesWhole {
            // A success that isn't the sink's own is one in place of what the sink was to have.
            let error = error ?? (isFinishing ? nil : .cancelled)
            steps = error.map { [.fail(sink, $0)] } ?? []
            self.sink = nil
        }
        phase = .ended
        collected = Data()
        defer { headWaiters = [] }
        return headWaiters
    }

    /// Takes the sink out that the body never came to in parts: it is served as a handler would be.
    mutating func takeUnserved() -> (any BodySink)? { sink.take() }

    /// Adds a waiter for the head.
    ///
    /// - Returns: the head, if it is here.
    mutating func wait(_ waiter: @escaping HeadWaiter) -> HTTPURLResponse? {
        switch phase {
        case .waiting:
            headWaiters.append(waiter)
            return nil
        case .collecting(isFree: true), .streaming, .finishing: return head
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

    /// How much longer nothing may come; zero or less once that is over, and nil while there is no head: until then the
    /// timeout is for the head.
    ///
    /// - Parameter isHeld: whether the data source must not give anything.
    func idleTime(leftOf timeout: Duration, _ now: Date, isHeld: Bool) -> Duration? {
        guard isStreaming, let lastActivity else { return nil }
        if isHeld || isFinishing { return timeout }
        // A clock that was set back has not gained any time.
        return timeout - Duration(clamping: max(0, now.timeIntervalSince(lastActivity)))
    }
}
