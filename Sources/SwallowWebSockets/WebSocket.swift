import Foundation
import Swallow

/// A connection that sends and receives messages (RFC 6455).
///
/// ```swift
/// let feed = service.webSocket("/feed", protocols: ["v2"])
/// try await feed.send(.text("subscribe"))
/// for try await update in feed.messages(as: Update.self) { show(update) }
/// ```
///
/// - **The handshake** is a request of the service. It has the service's base URL, headers, cookies, credentials,
///   timeout and log. If the server rejects the handshake and the WebSocket doesn't reconnect, ``messages`` and
///   ``send(_:)`` fail with a `ServiceError` that has the status and, except with `URLSession`, the body.
/// - **Backpressure.** ``send(_:)`` waits while too many bytes wait for the server. If too many bytes of received
///   messages wait for the app, the connection isn't read, so the server has to wait. With a `CurlDataSource`, the
///   limits are about 320 KiB and 512 KiB.
/// - **The end.** To close the WebSocket, release it, cancel its reader's Swift task, or call ``close(_:reason:)``.
/// - **Pings.** The WebSocket replies to the server's pings. ``Settings/pingInterval`` makes it send pings.
/// - **Reconnecting** is off by default. If ``Settings/reconnects`` is `true`, another handshake follows a lost
///   connection, and the loop continues with the messages of the next connection.
/// - **Errors** are `ServiceError`s. If the server closes first, and its close frame has a code other than 1000 and
///   1001, the `underlying` of the error is the ``CloseStatus``.
///
/// On Linux, `URLSession` can't open WebSockets, but a `CurlDataSource`, the default there, can.
public final class WebSocket: Sendable {
    let core: WebSocketCore
    let json: (encoding: JSON.EncodingOptions, decoding: JSON.DecodingOptions)
    let handlers = Lock(WebSocketHandlers())

    init(_ core: WebSocketCore, json: (JSON.EncodingOptions, JSON.DecodingOptions)) {
        self.core = core
        self.json = json
        core.start()
    }

    deinit { core.close(CloseStatus(code: .goingAway)) }

    /// The state, for display. Swift's Observation tracks it.
    @MainActor public var state: State { core.status.state }

    /// The subprotocol that the server has chosen. `nil` before the handshake, and if the server has chosen none.
    public var subprotocol: String? { core.subprotocol }

    /// The head of the response to the latest accepted handshake. Before the first one, the property waits.
    ///
    /// - Throws: The error of a handshake that failed or was rejected, or `.cancelled`.
    public var head: HTTPURLResponse {
        get async throws(ServiceError) { try await core.waitUntilOpen() }
    }

    /// Sends a message. Waits for the handshake and for room in the queue, but not until the server has received it. If
    /// the connection is lost, so are the messages in its queue.
    ///
    /// - Throws: The error with which the WebSocket ended, `.invalidRequest` if it was closed, or `.cancelled` if the
    ///   Swift task was cancelled before the message was added to the queue.
    public func send(_ message: Message) async throws(ServiceError) { try await core.send(message) }

    /// Sends a value as JSON text, written with the service's `jsonEncoding`.
    ///
    /// - Throws: As ``send(_:)``, and `.invalidRequest` if the value can't be encoded.
    public func send(json value: some Encodable & Sendable) async throws(ServiceError) {
        let data: Data
        do { data = try json.encoding.data(of: value) } catch {
            throw ServiceError(.invalidRequest, detail: "the message can't be encoded", underlying: error)
        }
        try await core.send(.text(String(decoding: data, as: UTF8.self)))
    }

    /// Closes the WebSocket after the messages that were sent before. Received messages can still be read.
    ///
    /// - Parameters:
    ///   - code: The reason as a number, by default 1000. With a `CurlDataSource`, a code that mustn't be sent
    ///     (RFC 6455 §7.4) becomes 1000.
    ///   - reason: The reason for developers. It is shortened to 123 bytes of UTF-8 (RFC 6455 §5.5).
    public func close(_ code: CloseCode = .normal, reason: String = "") {
        core.close(CloseStatus(code: code, reason: WebSocketMachine.shortened(reason)))
    }

    /// The code and the reason with which the WebSocket was closed. The property waits for the end. It is `nil` if the
    /// Swift task is cancelled before.
    public var closeStatus: CloseStatus? {
        get async { await core.waitUntilClosed() }
    }
}
