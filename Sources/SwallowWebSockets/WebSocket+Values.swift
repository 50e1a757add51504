import Foundation
import Swallow

extension WebSocket {
    /// A message of a WebSocket (RFC 6455 §5.6).
    public enum Message: Sendable, Hashable {
        /// Text, which is sent as UTF-8.
        case text(String)
        /// Any bytes.
        case binary(Data)

        /// The bytes of the message.
        public var data: Data {
            switch self {
            case .text(let text): Data(text.utf8)
            case .binary(let data): data
            }
        }

        var byteCount: Int {
            switch self {
            case .text(let text): text.utf8.count
            case .binary(let data): data.count
            }
        }
    }

    /// The reason code of a closed WebSocket (RFC 6455 §7.4).
    public struct CloseCode: RawRepresentable, Sendable, Hashable, ExpressibleByIntegerLiteral,
        CustomStringConvertible
    {
        /// The code as a number.
        public let rawValue: UInt16

        /// Creates a code from its number.
        public init(rawValue: UInt16) { self.rawValue = rawValue }
        /// Creates a code from its number. Apps may use 4000 to 4999.
        public init(integerLiteral value: UInt16) { self.init(rawValue: value) }

        /// The connection is no longer needed.
        public static let normal: Self = 1000
        /// The client or the server leaves.
        public static let goingAway: Self = 1001
        /// The peer violated the protocol.
        public static let protocolError: Self = 1002
        /// The peer sent a kind of message that isn't supported.
        public static let unsupportedData: Self = 1003
        /// The close frame had no code. Never sent.
        public static let noCode: Self = 1005
        /// The connection ended without a close frame. Never sent.
        public static let abnormal: Self = 1006
        /// A message was malformed, for example a text that isn't UTF-8.
        public static let invalidPayload: Self = 1007
        /// A message violated the peer's rules.
        public static let policyViolation: Self = 1008
        /// A message was too large.
        public static let messageTooBig: Self = 1009
        /// The server had an unexpected problem.
        public static let internalError: Self = 1011
        /// The server restarts.
        public static let serviceRestart: Self = 1012
        /// The server is overloaded.
        public static let tryAgainLater: Self = 1013
        /// A gateway received an invalid response from its server.
        public static let badGateway: Self = 1014

        /// The number as text.
        public var description: String { "\(rawValue)" }
    }

    /// The end of a WebSocket.
    public struct CloseStatus: Error, Sendable, Hashable, CustomStringConvertible {
        /// The code in the close frame. ``CloseCode/noCode`` if the frame has no code, or ``CloseCode/abnormal`` if the
        /// connection ended without a close frame.
        public var code: CloseCode
        /// The reason, for developers.
        public var reason: String

        /// Creates a close status, for tests.
        public init(code: CloseCode, reason: String = "") {
            (self.code, self.reason) = (code, reason)
        }

        /// The code and the reason as text.
        public var description: String {
            "the WebSocket was closed with code \(code)" + (reason.isEmpty ? "" : ": \(reason)")
        }
    }

    /// The states of a WebSocket.
    public enum State: Sendable, Hashable {
        /// The handshake isn't complete. If the WebSocket reconnects, this is also its state before the next handshake.
        case connecting
        /// Messages are sent and received.
        case open
        /// This side is closing the WebSocket.
        case closing
        /// The WebSocket is closed.
        case closed(CloseStatus)
    }

    /// The settings of one WebSocket.
    public struct Settings: Sendable {
        /// The maximum size of a received message in bytes. 16 MiB by default. A larger message ends the connection.
        public var maximumMessageSize = 16 * 1024 * 1024
        /// The time between pings, but at least ``pongTimeout``. `nil`, the default, sends no pings. Pings keep proxies
        /// from closing an idle connection, and find connections that were lost.
        public var pingInterval: Duration?
        /// The maximum time between a ping and its pong. 10 s by default. With a `CurlDataSource`, any received bytes
        /// count as a pong. If reading pauses because the app reads no messages, the ping needs no pong.
        public var pongTimeout: Duration = .seconds(10)
        /// The maximum time for closing. 5 s by default. After it, the connection is dropped.
        public var closeTimeout: Duration = .seconds(5)
        /// Whether the WebSocket connects again after a lost connection. `false` by default.
        ///
        /// The WebSocket reconnects after a lost or missing connection, a timeout, a missing pong, a handshake with
        /// status 408, 429, 500, 502, 503 or 504, and a close frame with code 1001 or 1011 to 1014. It doesn't reconnect
        /// after other errors and close frames, nor after ``WebSocket/close(_:reason:)``. The delays are those of an
        /// `EventSource`. Each received message resets them.
        ///
        /// Sent messages that were in the queue of the lost connection are dropped, because the server may have
        /// received them. A `send` that waits adds its message to the queue of the next connection.
        public var reconnects = false
        /// Returns the messages that are sent first on each connection, for example a subscription. Called after each
        /// accepted handshake, on any thread. Empty by default.
        public var firstMessages: @Sendable () -> [Message] = { [] }
        /// Whether messages may be compressed, if the server agrees (RFC 7692). `true` by default. Without zlib and on
        /// Apple platforms, the setting has no effect.
        public var compresses = true

        /// Creates the default settings.
        public init() {}
    }
}
