import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The connection of a WebSocket. All functions may be called on any thread.
protocol WebSocketLink: AnyObject, Sendable {
    /// Connects, and reports to the owner until the connection has ended. Called once.
    func run(for owner: any WebSocketLinkOwner) async

    /// Waits until there is room for the message. Throws `.cancelled` if the Swift task is cancelled before. Returns
    /// `false` if nothing can be sent anymore.
    func send(_ message: WebSocket.Message) async throws(ServiceError) -> Bool

    /// Calls `onSent` when the messages that were sent before the ping have left the queue. A link that reports
    /// activities to its owner doesn't call `onPong`.
    func sendPing(onSent: @escaping @Sendable () -> Void, onPong: @escaping @Sendable () -> Void)

    /// The number of bytes that have left the queue.
    var sentByteCount: Int { get }

    /// Sends a close frame after the messages that were sent before.
    func close(_ closeStatus: WebSocket.CloseStatus)

    /// Drops the connection.
    func cancel()
}

protocol WebSocketLinkOwner: AnyObject, Sendable {
    func opened(_ head: HTTPURLResponse, subprotocol: String?)
    /// Returns when there is room for the next message.
    func receive(_ message: WebSocket.Message) async
    func noteActivity()
    /// The first call of each connection counts. The error is `nil` if the server has sent a close frame.
    func ended(_ closeStatus: WebSocket.CloseStatus, _ error: ServiceError?)
}
