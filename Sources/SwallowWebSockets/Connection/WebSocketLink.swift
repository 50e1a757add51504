import Foundation
import Swallow

/// The connection of a WebSocket. All functions may be called on any thread.
protocol WebSocketLink: AnyObject, Sendable {
    /// Connects, and reports to the owner until the connection has ended. Called once.
    func run(for owner: any WebSocketLinkOwner) async

    /// Sends a message when there is room. Returns `false` or throws if no more can be sent. Throws if cancelled.
    func send(_ message: WebSocket.Message) async throws(ServiceError) -> Bool

    /// Sends a ping. Calls `onSent` when the ping has left the queue, or at once if the link can't know this. Calls
    /// `onPong` when the pong arrives, unless the link calls its owner's `noteActivity()` for received bytes.
    func sendPing(onSent: @escaping @Sendable () -> Void, onPong: @escaping @Sendable () -> Void)

    /// The number of bytes that have left the queue, or 0 if the link doesn't count them.
    var sentByteCount: Int { get }

    /// Closes the connection, after the messages that were sent before.
    func close(_ closeStatus: WebSocket.CloseStatus)

    /// Drops the connection without a close frame.
    func cancel()
}

protocol WebSocketLinkOwner: AnyObject, Sendable {
    func opened(_ head: HTTPURLResponse, subprotocol: String?)
    /// Stores a message. Returns when there is room for the next one.
    func receive(_ message: WebSocket.Message) async
    func noteActivity()
    /// Only each connection's first call has an effect. The error is `nil` if the server sent a valid close frame.
    func ended(_ closeStatus: WebSocket.CloseStatus, _ error: ServiceError?)
}
