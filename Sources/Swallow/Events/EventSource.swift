import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The events of an endpoint over as many connections as it takes (WHATWG HTML §9.2).
///
/// ```swift
/// for try await event in service.eventSource({ $0.GET("/feed") }) { show(event.data) }
/// ```
///
/// - **Connecting again.** When a response ends, the connection breaks off, or the server says 408, 429, 500, 502, 503 or
///   504, a new request is sent, with the id of the last event in `Last-Event-ID`. The first wait is 3 s, or what the server
///   has said in `retry`; it doubles with each connection that gives no event, up to a minute, and varies by chance so that
///   clients don't come all at once. A `Retry-After` lengthens it.
/// - **The end.** The loop ends on a 204, and throws what another request won't mend: any other status or content type, a
///   certificate, a request that can't be sent, what an `adaptRequest` throws. It ends with its Swift task, and leaving it
///   closes the connection.
/// - **Time.** Waits go by the service's ``WebService/clock``. A request's `timeout` is for the head, then for each pause
///   between bytes; after it a new connection is made.
///
/// Each loop connects anew.
public struct EventSource: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = ServerSentEvent

    private let clock: any ServiceClock
    private let connect: @Sendable () throws -> ServiceTask

    /// - Parameter connect: makes a task that has not started.
    init(clock: any ServiceClock, connect: @escaping @Sendable () throws -> ServiceTask) {
        self.clock = clock
        self.connect = connect
    }

    /// Connects when the first event is asked for.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(clock: clock, connect: connect)
    }

    /// Reads the events, one by one.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let clock: any ServiceClock
        private let connect: @Sendable () throws -> ServiceTask
        private var reconnection = Reconnection()
        private var events: EventReader?
        private var lastEventID = ""
        private var hasEnded = false

        fileprivate init(clock: any ServiceClock, connect: @escaping @Sendable () throws -> ServiceTask) {
            self.clock = clock
            self.connect = connect
        }

        /// The next event, after a new connection if need be; nil after a 204, and after an error.
        public mutating func next() async throws(ServiceError) -> ServerSentEvent? {
            do {
                while !hasEnded {
                    let step: Reconnection.Step
                    do throws(ServiceError) {
                        if events == nil { events = try await connected() }
                        if let event = try await nextEvent() { return event }
                        step = events == nil ? .end : reconnection.step(after: nil, now: clock.now)
                    } catch {
                        step = reconnection.step(after: error, now: clock.now)
                    }
                    events = nil
                    switch step {
                    case .wait(let delay): try await clock.sleep(for: delay)
                    case .fail(let error): throw error
                    case .end: hasEnded = true
                    }
                }
                return nil
            } catch {
                hasEnded = true
                throw ServiceError(thrown: error)
            }
        }

        /// The next event, after a new connection if need be; nil after a 204, and after an error.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(ServiceError) -> ServerSentEvent? {
            try await next()
        }

        private mutating func nextEvent() async throws(ServiceError) -> ServerSentEvent? {
            guard var reader = events else { return nil }
            // Out of its place meanwhile, so that nothing is copied.
            events = nil
            defer {
                lastEventID = reader.parser.lastEventID
                if let time = reader.parser.reconnectionTime { reconnection.serverTime = time }
                events = reader
            }
            let event = try await reader.next()
            if event != nil { reconnection.noteEvent() }
            return event
        }

        /// Connects.
        ///
        /// - Returns: nil where the server wants no more connections.
        private func connected() async throws(ServiceError) -> EventReader? {
            let task: ServiceTask
            do { task = try connect() } catch { throw ServiceError(thrown: error) }
            var fields = ["Accept": "text/event-stream", "Cache-Control": "no-store"]
            if !lastEventID.isEmpty { fields["Last-Event-ID"] = lastEventID }
            let body = ResponseBody(task, adding: fields)
            let head = try await body.head
            if head.statusCode == 204 { return nil }
            let type = head.value(forHTTPHeaderField: "Content-Type")
            guard head.statusCode == 200 else {
                throw ServiceError(.unacceptableStatus, request: task.request, response: head)
            }
            guard type.map(MediaType.init)?.name == "text/event-stream" else {
                let reason = ServiceError.Reason.contentMismatch(
                    expected: "text/event-stream", actual: type ?? "no content type")
                throw ServiceError(reason, request: task.request, response: head)
            }
            return EventReader(
                body, EventStreamParser(lastEventID: lastEventID, limit: ServerSentEvents.limit))
        }
    }
}

/// Whether, and when, an event source connects again: the decisions, without the calls.
struct Reconnection: Sendable {
    enum Step: Sendable {
        case wait(Duration)
        case fail(ServiceError)
        case end
    }

    /// What the server wants to lie between two connections.
    var serverTime = Duration.seconds(3)
    /// How many connections in a row have given no event.
    private(set) var failures = 0
    /// Gives a number from 0 to 1.
    var chance: @Sendable () -> Double = { .random(in: 0...1) }

    mutating func noteEvent() { failures = 0 }

    /// Decides what follows the end of a connection.
    ///
    /// - Parameter error: nil where the response was complete.
    mutating func step(after error: ServiceError?, now: Date) -> Step {
        if let error, !error.mendsByConnecting { return .fail(error) }
        let delay = delay
        failures += 1
        let field = error?.response?.value(forHTTPHeaderField: "Retry-After")
        return .wait(max(delay, field.flatMap { RetryAfter.delay($0, now: now) } ?? .zero))
    }

    /// From what the server wants, or a tenth of a second after a failure, to that doubled with each failure.
    private var delay: Duration {
        let shortest = failures == 0 ? serverTime : max(serverTime, .milliseconds(100))
        let doubled = shortest * (1 << min(failures, 10))
        let longest = max(min(doubled, .seconds(60)), shortest * 1.2)
        return shortest + (longest - shortest) * chance()
    }
}

extension ServiceError {
    /// Whether the next connection may do better.
    fileprivate var mendsByConnecting: Bool {
        switch reason {
        // A body that broke off, for whatever reason.
        case .transport where statusCode == 200: true
        default: isRetryable
        }
    }
}

extension ServiceClock {
    /// Suspends for a time.
    ///
    /// - Throws: `.cancelled` as soon as the Swift task is cancelled.
    fileprivate func sleep(for time: Duration) async throws(ServiceError) {
        let sleeper = Lock<CheckedContinuation<Void, Never>?>(nil)
        let wake: @Sendable () -> Void = { sleeper.withLock { $0.take() }?.resume() }
        let work = Lock<ScheduledWork?>(nil)
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                sleeper.withLock { $0 = continuation }
                if Task.isCancelled { return wake() }
                let scheduled = schedule(after: time, wake)
                work.withLock { $0 = scheduled }
            }
        } onCancel: {
            wake()
        }
        work.withLock { $0.take() }?.cancel()
        if Task.isCancelled { throw .cancelled }
    }
}
