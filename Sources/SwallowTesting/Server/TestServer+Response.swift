import Foundation
import Swallow

extension TestServer {
    /// The response of a ``TestServer``, with the failures that it simulates.
    ///
    /// ```swift
    /// let server = try await TestServer(
    ///     .json(["id": 41]).reset(.inBody),
    ///     .text("slow").trickled(bytes: 1, every: .milliseconds(50)),
    ///     .json(["id": 41]))
    /// ```
    ///
    /// The server adds `Content-Length` or `Transfer-Encoding` if the response needs one and has neither.
    public struct Response: Sendable {
        package enum Body: Sendable {
            case none
            case data(Data)
            /// Each chunk is sent when the gate has let it pass and, except for the first one, the interval has passed.
            case chunks([Data], every: Duration = .zero, heldBy: Gate? = nil)
            /// Sends the head, and then chunks until the closure returns `nil`.
            case stream(@Sendable () async -> Data?)
            /// Sends these bytes instead of a head and a body, and closes the connection.
            case raw([Data])
        }

        package var status: Int
        package var headers: [(name: String, value: String)]
        package var body: Body
        var gates: [Gate] = []
        var delay = Duration.zero
        package var earlyHints = 0
        var interruption: Interruption?
        var trickle: (count: Int, interval: Duration)?
        /// Whether the server closes the connection after the response. This adds no `Connection: close`.
        var isLast = false

        package init(
            status: Int = 200, headers: [(name: String, value: String)] = [], body: Body = .none
        ) {
            (self.status, self.headers, self.body) = (status, headers, body)
        }

        package func header(_ name: String) -> String? {
            headers.first { $0.name.equalsIgnoringCase(name) }?.value
        }
    }
}

extension TestServer.Response {
    /// Returns a JSON document, by default with status 200 and `application/json`.
    public static func json(_ json: JSON, status: Int = 200, headers: Headers = [:]) -> Self {
        .data(json.data, contentType: "application/json", status: status, headers: headers)
    }

    /// Returns text in UTF-8, by default with status 200 and `text/plain; charset=utf-8`.
    public static func text(_ text: String, status: Int = 200, headers: Headers = [:]) -> Self {
        .data(Data(text.utf8), contentType: "text/plain; charset=utf-8", status: status, headers: headers)
    }

    /// Returns bytes, by default with status 200 and `application/octet-stream`. `nil` adds no `Content-Type`.
    public static func data(
        _ data: Data, contentType: String? = "application/octet-stream", status: Int = 200,
        headers: Headers = [:]
    ) -> Self {
        Self(.data(data), contentType, status, headers)
    }

    /// Returns a response without a body. `headers` is empty by default.
    public static func status(_ status: Int, headers: Headers = [:]) -> Self {
        Self(.none, nil, status, headers)
    }

    /// Returns a redirect, by default with status 302. The location may be relative.
    public static func redirect(to location: String, status: Int = 302) -> Self {
        Self(.none, nil, status, ["Location": location])
    }

    /// Returns a body in chunks (RFC 9112 §7.1), which are sent one by one.
    ///
    /// - Parameters:
    ///   - chunks: The chunks. Empty ones are omitted.
    ///   - contentType: The value of `Content-Type`, or `nil` to add none.
    ///   - status: The status code, by default 200.
    ///   - headers: More fields of the head. Empty by default.
    ///   - interval: The real time between two chunks. Zero by default.
    ///   - gate: A gate that holds each chunk until the test releases it with `gate.open(next: 1)`. `nil` by default.
    public static func chunks(
        _ chunks: [Data], contentType: String? = "application/octet-stream", status: Int = 200,
        headers: Headers = [:], every interval: Duration = .zero, heldBy gate: Gate? = nil
    ) -> Self {
        Self(.chunks(chunks, every: interval, heldBy: gate), contentType, status, headers)
    }

    /// Returns status 200 with a body of chunks. Each chunk is sent when the stream yields it.
    public static func stream(
        _ chunks: AsyncStream<Data>, contentType: String? = "application/octet-stream", headers: Headers = [:]
    ) -> Self {
        Self(.stream { await chunks.next() }, contentType, 200, headers)
    }

    /// Returns an event stream that is complete after these events. To keep it open, add `.stalled(.afterBody)`.
    public static func events(_ events: [ServerSentEvent], every interval: Duration = .zero) -> Self {
        .chunks(events.map(\.encoded), contentType: "text/event-stream", every: interval)
    }

    /// Returns an event stream that sends each event that `events` yields, and is complete when `events` finishes.
    public static func events(_ events: AsyncStream<ServerSentEvent>) -> Self {
        Self(.stream { await events.next()?.encoded }, "text/event-stream", 200, [:])
    }

    /// Returns bytes that are sent unchanged, for example a broken head. Then the server closes the connection. Only
    /// `delayed(_:)` and `held(by:)` change this response.
    public static func raw(_ bytes: Data) -> Self {
        Self(body: .raw([bytes]))
    }

    private init(_ body: Body, _ contentType: String?, _ status: Int, _ headers: Headers) {
        self.init(status: status, headers: headers.map { ($0.name.rawValue, $0.value) }, body: body)
        if let contentType, headers[.contentType] == nil {
            self.headers.append(("Content-Type", contentType))
        }
    }
}

extension AsyncStream where Element: Sendable {
    /// Returns the next element. All iterators of a stream share its elements, so each call can create one.
    fileprivate func next() async -> Element? {
        var iterator = makeAsyncIterator()
        return await iterator.next()
    }
}

extension ServerSentEvent {
    fileprivate var encoded: Data {
        let isLineEnd = { (character: Character) in ["\n", "\r", "\r\n"].contains(character) }
        var lines = data.split(omittingEmptySubsequences: false, whereSeparator: isLineEnd).map {
            "data: \($0)"
        }
        if event != "message" { lines.insert("event: \(event)", at: 0) }
        if !id.isEmpty { lines.append("id: \(id)") }
        if let retry { lines.append("retry: \(Int(retry / .milliseconds(1)))") }
        return Data((lines.joined(separator: "\n") + "\n\n").utf8)
    }
}
