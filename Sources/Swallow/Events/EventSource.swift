import Foundation

/// The server-sent events of an endpoint, over as many connections as needed (WHATWG HTML §9.2).
///
/// ```swift
/// for try await event in service.eventSource({ $0.GET("/feed") }) { show(event.data) }
/// ```
///
/// - **Reconnecting.** The event source sends a new request if a response is complete, the connection fails, or the
///   server responds with 408, 429, 500, 502, 503 or 504. `Last-Event-ID` has the last event id, if it isn't empty.
/// - **Delays.** Each delay before a new request is random. It is at least 3 s, or the time in the server's `retry`
///   field, and at most 1.2 times as long. Each further connection without an event raises the maximum, up to a minute.
///   `Retry-After` can extend the delay. If connections end within 0.1 s, the minimum is at least 10 ms, and grows.
/// - **The end.** The loop ends after a 204. It throws `.cancelled` if its Swift task is cancelled, and errors that
///   another request can't fix, such as any other status or content type, a certificate error or a request that can't
///   be sent. Leaving the loop cancels its request. Each loop sends its own requests.
/// - **Time.** Delays use the service's ``WebService/clock``. A request's `timeout` applies to the head, and then to
///   each pause between bytes. After a timeout, the event source connects again.
public struct EventSource: AsyncSequence, Sendable {
    private let clock: any ServiceClock
    private let connect: @Sendable () throws -> ServiceTask
    private let status = PublishedState(State.connecting)

    /// The state for display, tracked by Swift's Observation. If several loops run, the last change of any loop counts.
    @MainActor public var state: State { status.state }

    /// The state of an event source's loop.
    public enum State: Sendable, Hashable {
        /// The event source waits for the response to a request, or no loop has begun.
        case connecting
        /// The server has responded, and events can arrive.
        case open
        /// The event source waits, and connects again at this time of the service's clock.
        case waiting(until: Date)
        /// The loop has ended, or the caller has left it.
        case ended
    }

    init(clock: any ServiceClock, connect: @escaping @Sendable () throws -> ServiceTask) {
        self.clock = clock
        self.connect = connect
    }

    /// Returns an iterator. It connects at the first `next()`.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

    /// Reads one event after another.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let source: EventSource
        private let loop: EventSourceLoop
        private var reconnection = Reconnection()
        private var events: ServerSentEvents.AsyncIterator?
        private var lastEventID = ""
        private var hasEnded = false

        fileprivate init(_ source: EventSource) {
            self.source = source
            loop = EventSourceLoop(source.status)
        }

        /// Returns the next event, after reconnecting if needed. Returns `nil` after a 204 and after an error.
        public mutating func next() async throws(ServiceError) -> ServerSentEvent? {
            do {
                while !hasEnded {
                    var failure: ServiceError?
                    do throws(ServiceError) {
                        if events == nil { try await connect() }
                        if let event = try await nextEvent() { return event }
                    } catch {
                        failure = error
                    }
                    if !hasEnded { try await wait(after: failure) }
                }
                loop.set(.ended)
                return nil
            } catch {
                hasEnded = true
                loop.set(.ended)
                throw ServiceError(thrown: error)
            }
        }

        /// Returns the next event, after reconnecting if needed. Returns `nil` after a 204 and after an error.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(ServiceError) -> ServerSentEvent? {
            try await next()
        }

        private mutating func nextEvent() async throws(ServiceError) -> ServerSentEvent? {
            guard var reader = events else { return nil }
            // The reader is moved out while it is used, so that its buffers aren't copied.
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

        /// Waits before the next connection. Throws an error that another request can't fix.
        private mutating func wait(after failure: ServiceError?) async throws {
            events = nil
            let now = source.clock.now
            switch reconnection.step(after: failure, now: now) {
            case .wait(let delay):
                loop.set(.waiting(until: now.addingTimeInterval(delay.seconds)))
                try await source.clock.sleep(for: delay)
            case .fail(let error): throw error
            }
        }

        private mutating func connect() async throws(ServiceError) {
            loop.set(.connecting)
            reconnection.begin(at: source.clock.now)
            let task: ServiceTask
            do { task = try source.connect() } catch { throw ServiceError(thrown: error) }
            var fields = ["Accept": "text/event-stream", "Cache-Control": "no-cache"]
            if !lastEventID.isEmpty { fields["Last-Event-ID"] = lastEventID }
            let body = ResponseBody(task, adding: fields)
            let head = try await body.head
            // With a 204, the server asks the client not to connect again.
            if head.statusCode == 204 {
                hasEnded = true
                return
            }
            let type = head.value(forHTTPHeaderField: "Content-Type")
            guard head.statusCode == 200 else {
                throw ServiceError(.unacceptableStatus, request: task.request, response: head)
            }
            guard type.map(MediaType.init)?.name == "text/event-stream" else {
                let reason = ServiceError.Reason.contentMismatch(
                    expected: "text/event-stream", actual: type ?? "no content type")
                throw ServiceError(reason, request: task.request, response: head)
            }
            events = ServerSentEvents.AsyncIterator(
                body, lastEventID: lastEventID, task.request.conventions.jsonCoding)
            loop.set(.open)
        }
    }
}

/// The state of one loop over an event source. Its release publishes `.ended` if the caller has left the loop early.
private final class EventSourceLoop: Sendable {
    private let status: PublishedState<EventSource.State>
    private let hasEnded = Lock(false)

    init(_ status: PublishedState<EventSource.State>) {
        self.status = status
    }

    deinit { set(.ended) }

    func set(_ state: EventSource.State) {
        let isFirst = hasEnded.withLock { hasEnded in
            defer { hasEnded = state == .ended }
            return !hasEnded
        }
        if isFirst { status.publish(.init(state)) }
    }
}
