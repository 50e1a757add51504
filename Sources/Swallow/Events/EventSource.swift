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
///   clients don't come all at once. A `Retry-After` lengthens it. After connections that end within a tenth of a second it
///   is never shorter than 10 ms, doubled with each one in a row, up to 3 s, whatever `retry` says.
/// - **The end.** The loop ends on a 204, and throws what another request won't mend: any other status or content type, a
///   certificate, a request that can't be sent, what an `adaptRequest` throws. It ends with its Swift task, and leaving it
///   closes the connection.
/// - **Time.** Waits go by the service's ``WebService/clock``. A request's `timeout` is for the head, then for each pause
///   between bytes; after it a new connection is made.
/// - **State.** ``state`` says whether it is connected, for a "reconnecting…" on the screen.
///
/// Each loop connects anew.
public struct EventSource: AsyncSequence, Sendable {
    private let clock: any ServiceClock
    private let connect: @Sendable () throws -> ServiceTask
    private let status = EventSourceStatus()

    /// What the event source is doing, for display. Observation tracks it, as it does a ``Resource``.
    ///
    /// It is `.connecting` before the first loop. Of several loops, the one that changed last counts.
    @MainActor public var state: State { status.state }

    /// What an event source does.
    public enum State: Sendable, Hashable {
        /// A connection is being made.
        case connecting
        /// Events may come.
        case open
        /// The connection has ended; another is made at this time of the service's clock.
        case waiting(until: Date)
        /// The loop is over.
        case ended
    }

    /// - Parameter connect: makes a task that has not started.
    init(clock: any ServiceClock, connect: @escaping @Sendable () throws -> ServiceTask) {
        self.clock = clock
        self.connect = connect
    }

    /// Connects when the first event is asked for.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(clock: clock, connect: connect, loop: EventSourceLoop(status))
    }

    /// Reads the events, one by one.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let clock: any ServiceClock
        private let connect: @Sendable () throws -> ServiceTask
        private var reconnection = Reconnection()
        private var events: EventReader?
        private var lastEventID = ""
        private var hasEnded = false
        private let loop: EventSourceLoop

        fileprivate init(
            clock: any ServiceClock, connect: @escaping @Sendable () throws -> ServiceTask,
            loop: EventSourceLoop
        ) {
            self.clock = clock
            self.connect = connect
            self.loop = loop
        }

        /// The next event, after a new connection if need be; nil after a 204, and after an error.
        public mutating func next() async throws(ServiceError) -> ServerSentEvent? {
            do {
                while !hasEnded {
                    let step: Reconnection.Step
                    do throws(ServiceError) {
                        if events == nil {
                            loop.set(.connecting)
                            reconnection.begin(at: clock.now)
                            events = try await connected()
                            if events != nil { loop.set(.open) }
                        }
                        if let event = try await nextEvent() { return event }
                        step = events == nil ? .end : reconnection.step(after: nil, now: clock.now)
                    } catch {
                        step = reconnection.step(after: error, now: clock.now)
                    }
                    events = nil
                    switch step {
                    case .wait(let delay):
                        loop.set(.waiting(until: clock.now.addingTimeInterval(delay.seconds)))
                        try await clock.sleep(for: delay)
                    case .fail(let error): throw error
                    case .end: hasEnded = true
                    }
                }
                loop.set(.ended)
                return nil
            } catch {
                hasEnded = true
                loop.set(.ended)
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
            var fields = ["Accept": "text/event-stream", "Cache-Control": "no-cache"]
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
            let parser = EventStreamParser(
                lastEventID: lastEventID, limit: ServerSentEvents.limit,
                jsonCoding: task.request.conventions.jsonCoding)
            return EventReader(body, parser)
        }
    }
}
