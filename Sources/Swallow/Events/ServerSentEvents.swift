import Foundation

/// An event that a server has sent (WHATWG HTML §9.2).
public struct ServerSentEvent: Sendable, Hashable {
    /// The last id that the server gave, with this event or before; empty if it gave none. One of more than 4 KB counts as
    /// none given, since each new connection would have to send it.
    public var id: String
    /// The event's type; `message` where the server gave none.
    public var event: String
    /// The event's data, its lines joined by LF.
    public var data: String
    /// How long to wait before a new connection, where the server said so with this event.
    public var retry: Duration?
    /// How the service that it came from reads JSON.
    var jsonCoding: JSONCoding {
        get { unsaid.jsonCoding }
        set { unsaid.jsonCoding = newValue }
    }
    private var unsaid = Unsaid()

    /// What the server hasn't said, and what makes no difference between events.
    private struct Unsaid: Sendable, Hashable {
        var jsonCoding = JSONCoding.standard

        static func == (left: Self, right: Self) -> Bool { true }
        func hash(into hasher: inout Hasher) {}
    }

    /// Makes an event, for tests.
    public init(id: String = "", event: String = "message", data: String, retry: Duration? = nil) {
        self.id = id
        self.event = event
        self.data = data
        self.retry = retry
    }
}

extension ServerSentEvent {
    /// The data decoded from JSON, as the ``Configuration/jsonDecoding`` of the service that it came from says.
    ///
    /// - Throws: `.emptyBody` or `.unparsable` for data that is no JSON, `.undecodable` where it doesn't fit.
    public func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws(ServiceError) -> Value {
        if data.isEmpty { throw ServiceError(.emptyBody, detail: "the event has no data") }
        do {
            return try JSON(parsing: Data(data.utf8)).decode(type, options: jsonCoding.decoding)
        } catch {
            throw ServiceError(thrown: error, detail: "the event's data is no \(type)")
        }
    }
}

/// A response's body as server-sent events, as they come (WHATWG HTML §9.2.6).
///
/// ```swift
/// for try await event in service.POST("/chat", parameters: question).events { show(event.data) }
/// ```
///
/// It ends with the response; ``WebService/eventSource(_:)`` connects again. The bytes are read as the standard says, whatever
/// the content type. An event of more than 16 MB ends in `.invalidResponse`. All else is as with ``ResponseBody``: back-pressure,
/// one loop, and leaving it cancels the task.
public struct ServerSentEvents: AsyncSequence, Sendable {
    /// How long an event may be, in bytes: 16 MB.
    static let limit = 16 * 1024 * 1024

    let body: ResponseBody
    let jsonCoding: JSONCoding

    /// Reads the events; starts a task that was never started.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(events: EventReader(body, EventStreamParser(limit: Self.limit, jsonCoding: jsonCoding)))
    }

    /// Reads the events, one by one.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var events: EventReader

        /// The next event; nil after the last, and after an error.
        public mutating func next() async throws(ServiceError) -> ServerSentEvent? {
            try await events.next()
        }

        /// The next event; nil after the last, and after an error.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(ServiceError) -> ServerSentEvent? {
            try await events.next()
        }
    }
}

extension ServiceTask {
    /// The response's body as server-sent events, as they come. It claims ``body``.
    public var events: ServerSentEvents {
        ServerSentEvents(body: body, jsonCoding: request.conventions.jsonCoding)
    }
}

/// Reads the events of one body.
struct EventReader {
    private(set) var parser: EventStreamParser
    /// Nil after the end, so that the transfer doesn't go on after an error.
    private var parts: ResponseBody.AsyncIterator?

    init(_ body: ResponseBody, _ parser: EventStreamParser) {
        parts = body.makeAsyncIterator()
        self.parser = parser
    }

    /// The next event; nil after the last, and after an error.
    mutating func next() async throws(ServiceError) -> ServerSentEvent? {
        do {
            while parts != nil {
                if let event = try parser.next() { return event }
                if let part = try await parts?.next() { parser.append(part) } else { parts = nil }
            }
            return nil
        } catch {
            parts = nil
            if error is EventStreamParser.Overflow {
                throw ServiceError(
                    .invalidResponse, detail: "an event has more than \(ServerSentEvents.limit) bytes")
            }
            throw ServiceError(thrown: error)
        }
    }
}
