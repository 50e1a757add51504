import Foundation

/// A server-sent event (WHATWG HTML §9.2).
public struct ServerSentEvent: Sendable, Hashable {
    /// The last id that the server sent, with this event or before, or empty. Ids over 4,096 bytes are ignored.
    public var id: String
    /// The event's type. It is `message` if the server sent no type.
    public var event: String
    /// The event's data. Several lines are joined with LF.
    public var data: String
    /// The delay before reconnecting that this event sets, or `nil` if it sets none.
    public var retry: Duration?
    var jsonCoding: JSONCoding {
        get { unsaid.jsonCoding }
        set { unsaid.jsonCoding = newValue }
    }
    private var unsaid = Unsaid()

    private struct Unsaid: Sendable, Hashable {
        var jsonCoding = JSONCoding.standard

        static func == (left: Self, right: Self) -> Bool { true }
        func hash(into hasher: inout Hasher) {}
    }

    /// Creates an event for tests.
    public init(id: String = "", event: String = "message", data: String, retry: Duration? = nil) {
        self.id = id
        self.event = event
        self.data = data
        self.retry = retry
    }
}

extension ServerSentEvent {
    /// Returns the data, decoded from JSON with the service's ``WebService/Configuration/jsonDecoding``. Throws
    /// `.emptyBody` or `.unparsable` if the data isn't JSON, and `.undecodable` if it doesn't fit the type.
    public func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws(ServiceError) -> Value {
        if data.isEmpty { throw ServiceError(.emptyBody, detail: "the event has no data") }
        do {
            return try JSON(parsing: Data(data.utf8)).decode(type, options: jsonCoding.decoding)
        } catch {
            throw ServiceError(thrown: error, detail: "the event's data can't be decoded as \(type)")
        }
    }
}

/// A response's body as server-sent events, delivered as they arrive (WHATWG HTML §9.2.6).
///
/// ```swift
/// for try await event in service.POST("/chat", parameters: question).events { show(event.data) }
/// ```
///
/// The sequence ends with the response, and doesn't check its content type. To reconnect, use
/// ``WebService/eventSource(_:)``. If an event has more than 16 MiB, the sequence fails with `.invalidResponse`.
/// Apart from this, it works like ``ResponseBody``.
public struct ServerSentEvents: AsyncSequence, Sendable {
    static let limit = 16 * 1024 * 1024

    let body: ResponseBody
    let jsonCoding: JSONCoding

    /// Returns an iterator over the events. If the task wasn't started, the first `next()` starts it.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body, jsonCoding) }

    /// Reads one event after another.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private(set) var parser: EventStreamParser
        private var parts: ResponseBody.AsyncIterator?

        init(_ body: ResponseBody, lastEventID: String = "", _ jsonCoding: JSONCoding) {
            parts = body.makeAsyncIterator()
            parser = EventStreamParser(
                lastEventID: lastEventID, limit: ServerSentEvents.limit, jsonCoding: jsonCoding)
        }

        /// Returns the next event, or `nil` after the last event and after an error.
        public mutating func next() async throws(ServiceError) -> ServerSentEvent? {
            do {
                while parts != nil {
                    if let event = try parser.next() { return event }
                    if let part = try await parts?.next() { parser.append(part) } else { parts = nil }
                }
                return nil
            } catch {
                parts = nil
                if error is LineSplitter.Overflow {
                    throw ServiceError(
                        .invalidResponse, detail: "an event has more than \(ServerSentEvents.limit) bytes")
                }
                throw ServiceError(thrown: error)
            }
        }

        /// Returns the next event, or `nil` after the last event and after an error.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(ServiceError) -> ServerSentEvent? {
            try await next()
        }
    }
}

extension ServiceTask {
    /// The response's body as server-sent events, as they arrive. Read either the events or ``body``.
    public var events: ServerSentEvents {
        ServerSentEvents(body: body, jsonCoding: request.conventions.jsonCoding)
    }
}
