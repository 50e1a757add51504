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
    /// The server adds `Content-Length` or `Transfer-Encoding`, unless `headers` contains one of them.
    public struct Response: Sendable {
        /// The content, and how it is sent. Responses to HEAD, and those with status 1xx, 204 or 304, have none.
        package enum Body: Sendable {
            case none
            case data(Data)
            /// Each chunk is sent separately, after the interval and when the gate lets it pass.
            case chunks([Data], every: Duration = .zero, heldBy: Gate? = nil)
            /// Chunks until the closure returns `nil`. The head is sent first.
            case stream(@Sendable () async -> Data?)
            /// Bytes that are sent in place of a head and a body, before the connection is closed.
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
        /// Closes the connection after the response without announcing it.
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

// MARK: - Content

extension TestServer.Response {
    /// Returns a JSON document, by default with status 200 and `application/json`.
    public static func json(_ json: JSON, status: Int = 200, headers: Headers = [:]) -> Self {
        .data(json.data, contentType: "application/json", status: status, headers: headers)
    }

    /// Returns text in UTF-8, by default with status 200 and `text/plain; charset=utf-8`.
    public static func text(_ text: String, status: Int = 200, headers: Headers = [:]) -> Self {
        .data(Data(text.utf8), contentType: "text/plain; charset=utf-8", status: status, headers: headers)
    }

    /// Returns bytes, by default with status 200 and `application/octet-stream`. If `contentType` is `nil`, the field
    /// isn't sent.
    public static func data(
        _ data: Data, contentType: String? = "application/octet-stream", status: Int = 200,
        headers: Headers = [:]
    ) -> Self {
        Self(.data(data), contentType, status, headers)
    }

    /// Returns a status and header fields without a body.
    public static func status(_ status: Int, headers: Headers = [:]) -> Self {
        Self(.none, nil, status, headers)
    }

    /// Returns a redirect, by default with status 302. The location is sent as it is, and may be relative.
    public static func redirect(to location: String, status: Int = 302) -> Self {
        Self(.none, nil, status, ["Location": location])
    }

    /// Returns a body in chunks (RFC 9112 §7.1), which are sent one by one.
    ///
    /// - Parameters:
    ///   - chunks: The chunks. Empty ones are omitted.
    ///   - contentType: The value of `Content-Type`. `nil` for no field.
    ///   - status: The status code, by default 200.
    ///   - headers: More fields of the head. Empty by default.
    ///   - interval: The time between two chunks. Zero by default.
    ///   - gate: A gate that holds each chunk until the test opens it for that chunk. By default, no gate holds them.
    public static func chunks(
        _ chunks: [Data], contentType: String? = "application/octet-stream", status: Int = 200,
        headers: Headers = [:], every interval: Duration = .zero, heldBy gate: Gate? = nil
    ) -> Self {
        Self(.chunks(chunks, every: interval, heldBy: gate), contentType, status, headers)
    }

    /// Returns a body of the chunks that a stream yields, until the stream finishes.
    public static func stream(
        _ chunks: AsyncStream<Data>, contentType: String? = "application/octet-stream", headers: Headers = [:]
    ) -> Self {
        Self(.stream { await chunks.next() }, contentType, 200, headers)
    }

    /// Returns an event stream with these events. To keep it open after them, add ``stalled(_:)`` with `.afterBody`.
    public static func events(_ events: [ServerSentEvent], every interval: Duration = .zero) -> Self {
        .chunks(events.map(\.encoded), contentType: "text/event-stream", every: interval)
    }

    /// Returns an event stream with the events that a stream yields, until the stream finishes.
    public static func events(_ events: AsyncStream<ServerSentEvent>) -> Self {
        Self(.stream { await events.next()?.encoded }, "text/event-stream", 200, [:])
    }

    /// Returns bytes that are sent as they are, for example a broken head. Then the connection is closed.
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
    /// All iterators of a stream share its elements.
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
