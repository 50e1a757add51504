import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Decides whether a response's body is collected in memory or written to a sink. A task stores this value under its
/// lock. Under the lock, a sink receives only the head and the bytes collected so far. The task passes later body parts
/// outside the lock, on the transfer's thread. A failure's body is always collected.
struct BodyDestination: Sendable {
    typealias HeadWaiter = @Sendable (HTTPURLResponse) -> Void

    private enum State: Sendable {
        case waitingForHead((any BodySink)?)
        /// A success without a sink so far.
        case collecting
        case collectingFailure((any BodySink)?)
        case streaming(any BodySink)
        case completing(any BodySink)
        case complete(LateSink)
    }

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
    /// The time of the last byte, or of the last resume.
    private var lastActivity: Date?

    init(sink: (any BodySink)? = nil) {
        state = .waitingForHead(sink)
    }
}

// MARK: - The sink

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

    /// Whether the sink receives the body, and the pipeline doesn't take part.
    var isStreaming: Bool { if case .streaming = state { true } else { isCompleting } }

    private var isCompleting: Bool { if case .completing = state { true } else { false } }

    var flow: Flow { if case .streaming(let sink) = state { sink.flow } else { .more } }

    /// If a success is being collected, the sink receives its bytes. Returns `false` if the body had a sink before.
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

// MARK: - Receiving

extension BodyDestination {
    /// Receives the first head. Pass `acceptsSink` if a sink can receive the body. The caller calls the waiters.
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
        /// The caller has to pass the body part to this sink, outside the lock.
        case pass(any BodySink)
    }

    /// Receives the next body part. At most `limit` bytes are collected.
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

    enum Completion: Sendable {
        case collected(Data)
        /// The caller has to complete this sink, outside the lock.
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

// MARK: - The end of the task

extension BodyDestination {
    /// Objects that the caller releases outside the lock, and the sink that receives the error.
    struct Rest: Sendable {
        let headWaiters: [HeadWaiter]
        let sink: (any BodySink)?
        let error: ServiceError?
    }

    /// Pass `nil` if the task succeeds.
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

// MARK: - Time

extension BodyDestination {
    mutating func noteActivity(_ now: Date) { lastActivity = now }

    /// Returns the time left to wait for a byte. Returns `nil` without a sink, because the timeout then applies to the
    /// complete request.
    func idleTime(leftOf timeout: Duration, _ now: Date, isPaused: Bool) -> Duration? {
        guard isStreaming, let lastActivity else { return nil }
        if isPaused || isCompleting { return timeout }
        // If the clock was set back, the timeout doesn't become longer.
        return timeout - Duration(clamping: max(0, now.timeIntervalSince(lastActivity)))
    }
}
