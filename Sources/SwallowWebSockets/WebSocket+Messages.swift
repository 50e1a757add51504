import Foundation
import Swallow

/// The messages of a WebSocket, as they arrive.
///
/// The loop ends when the WebSocket is closed. It throws an error, unless the app closed the WebSocket, or the server
/// closed it with code 1000, 1001 or no code. If the loop's Swift task is cancelled, the WebSocket is closed with
/// ``WebSocket/CloseCode/goingAway``. After you leave a loop early, the WebSocket stays open, and another loop
/// continues with the next message. Don't run two loops at the same time.
public struct WebSocketMessages<Element: Sendable>: AsyncSequence, Sendable {
    fileprivate let socket: WebSocket
    fileprivate let read: @Sendable (WebSocket.Message) throws -> Element

    /// Returns an iterator over the messages that no loop has read.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(socket: socket, read: read) }

    /// An iterator that reads one message after another.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let socket: WebSocket
        fileprivate let read: @Sendable (WebSocket.Message) throws -> Element

        /// Returns the next message, or `nil` after the last one.
        public mutating func next() async throws(ServiceError) -> Element? {
            guard let message = try await socket.core.next() else { return nil }
            do { return try read(message) } catch { throw ServiceError(thrown: error, after: nil) }
        }

        /// Returns the next message, or `nil` after the last one.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(ServiceError)
            -> Element?
        {
            try await next()
        }
    }
}

extension WebSocket {
    /// The messages, as they arrive.
    public var messages: WebSocketMessages<Message> { WebSocketMessages(socket: self) { $0 } }

    /// Returns the messages, decoded from JSON with the service's `jsonDecoding`, as they arrive.
    ///
    /// If a message isn't JSON, the loop fails with `.unparsable`. If it doesn't fit the type, the loop fails with
    /// `.undecodable`. The WebSocket stays open.
    public func messages<Value: Decodable & Sendable>(as type: Value.Type) -> WebSocketMessages<Value> {
        WebSocketMessages(socket: self) { [options = json.decoding] message in
            try JSON(parsing: message.data).decode(type, options: options)
        }
    }
}
