import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Decides whether a response's body is collected in memory or written to a sink.
///
/// A task keeps this value under its lock. The body of a failure, and a body without a sink, is collected and goes through
/// the pipeline. Under the lock, a sink receives only the head and the bytes collected so far. The task passes all body
/// parts after that outside the lock, on the transfer's thread.
struct BodyDestination: Sendable {
    typealias HeadWaiter = @Sendable (HTTPURLResponse) -> Void

    private enum State: Sendable {
        case waitingForHead((any BodySink)?)
        /// The body of a success is collected, until there is a sink.
        case collecting
        /// The sink, if there is one, doesn't accept the body.
        case collectingFailure((any BodySink)?)
        case streaming(any BodySink)
        /// The sink has the complete body, and hasn't called its completion yet.
        case completing(any BodySink)
        case complete(LateSink)
    }

    /// The sink of a body that is complete.
    private enum LateSink: Sendable {
        case none
        /// The handler chain will pass the collected body, or the failure, to this sink.
        case waiting(any BodySink)
        case served
    }

    private var state: State
    private(set) var head: HTTPURLResponse?
    private(set) var byteCount = 0
    private var collected = Data()
    private var headWaiters: [HeadWaiter] = []
    /// When the last byte arrived, or the transfer was last resumed.
    private var lastActivity: Date?

    init(sink: (any BodySink)? = nil) {
        state = .waitingForHead(sink)
    }
}

// MARK: - The sink

extension BodyDestination {
    /// The sink, until the body is complete.
    var sink: (any BodySink)? {
        switch state {
        case .waitingForHead(let sink), .collectingFailure(let sink): sink
        case .streaming(let sink), .completing(let sink): sink
        case .collecting, .complete: nil
        }
    }

    /// Whether the body has a sink, or had one.
    var hasSink: Bool {
        switch state {
        case .complete(.none): false
        case .complete: true
        default: sink != nil
        }
    }

    /// Whether the sink receives the body, and the pipeline doesn't take part.
    var isStreaming: Bool { if case .streaming = state { true } else { isCompleting } }

    private var isCompleting: Bool { if case .completing = state { true } else { false } }

    /// Whether the transfer has to pause now, because the sink is full.
    var flow: Flow { if case .streaming(let sink) = state { sink.flow } else { .more } }

    /// Sets the sink. If a success is being collected, the sink receives the bytes collected so far.
    ///
    /// - Returns: `false` if the body had a sink before.
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
        if !collected.isEmpty { _ = sink.receive(collected) }
        collected = Data()
    }

    /// The sink if it hasn't received anything.
    private var unservedSink: (any BodySink)? {
        switch state {
        case .waitingForHead(let sink), .collectingFailure(let sink): sink
        case .complete(.waiting(let sink)): sink
        case .collecting, .streaming, .completing, .complete: nil
        }
    }

    /// Takes the sink of a task that has completed, if the sink hasn't received anything.
    mutating func takeLateSink() -> (any BodySink)? {
        guard let sink = unservedSink else { return nil }
        state = .complete(.served)
        return sink
    }
}

// MARK: - Receiving

extension BodyDestination {
    /// Receives the head. If there was a head before, this does nothing.
    ///
    /// - Parameter acceptsSink: Whether a sink can receive the body.
    /// - Returns: The waiters to call with the head.
    mutating func begin(after head: HTTPURLResponse, acceptsSink: Bool, _ owner: SinkOwner) -> [HeadWaiter] {
        guard case .waitingForHead(let sink) = state else { return [] }
        self.head = head
        state = acceptsSink ? .collecting : .collectingFailure(sink)
        guard acceptsSink else { return [] }
        if let sink { startStreaming(to: sink, owner) }
        defer { headWaiters = [] }
        return headWaiters
    }

    /// The outcome of a received body part.
    enum Reception: Sendable {
        /// The body part was collected, or isn't needed.
        case done
        /// The collected body has more bytes than the limit.
        case tooLong
        /// The caller has to pass the body part to this sink, outside the lock.
        case pass(any BodySink)
    }

    /// Receives the next body part.
    ///
    /// - Parameter limit: The greatest number of bytes to collect.
    mutating func add(_ bodyPart: Data, limit: @autoclosure () -> Int) -> Reception {
        if bodyPart.isEmpty { return .done }
        switch state {
        case .streaming(let sink):
            byteCount += bodyPart.count
            return .pass(sink)
        case .collecting, .collectingFailure:
            byteCount += bodyPart.count
            guard byteCount <= limit() else { return .tooLong }
            // The first assignment avoids a copy.
            if collected.isEmpty { collected = bodyPart } else { collected.append(bodyPart) }
            return .done
        case .waitingForHead, .completing, .complete: return .done
        }
    }

    /// The outcome of a complete body.
    enum Completion: Sendable {
        case collected(Data)
        /// The caller has to complete this sink, outside the lock.
        case sink(any BodySink)
        /// The task has completed before.
        case none
    }

    /// Receives the end of the body.
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

    /// Adds a waiter for the head.
    ///
    /// - Returns: The head, if it has arrived.
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

// MARK: - The end of the task

extension BodyDestination {
    /// The objects that the caller releases outside the lock, and the sink that it informs.
    struct Rest: Sendable {
        let headWaiters: [HeadWaiter]
        let sink: (any BodySink)?
        /// The error to pass to the sink.
        let error: ServiceError?
    }

    /// Completes the body together with its task.
    ///
    /// - Parameter error: The error with which the task fails, or `nil` if it succeeds.
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
        // A success before the sink has completed has other content than the sink's, for example from a cache.
        let error = isCompleting ? error : error ?? .cancelled
        state = .complete(.served)
        return Rest(headWaiters: headWaiters, sink: sink, error: error)
    }
}

// MARK: - Time

extension BodyDestination {
    /// Restarts the timeout for the next byte.
    mutating func noteActivity(_ now: Date) { lastActivity = now }

    /// Returns the time that is left to wait for a byte. It isn't positive if the timeout is over.
    ///
    /// - Parameter isPaused: Whether the transfer is paused.
    /// - Returns: `nil` unless a sink receives the body. Otherwise, the timeout limits the complete request.
    func idleTime(leftOf timeout: Duration, _ now: Date, isPaused: Bool) -> Duration? {
        guard isStreaming, let lastActivity else { return nil }
        if isPaused || isCompleting { return timeout }
        // If the clock was set back, the timeout doesn't become longer.
        return timeout - Duration(clamping: max(0, now.timeIntervalSince(lastActivity)))
    }
}
