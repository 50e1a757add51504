/// Received messages that wait for the app.
struct WebSocketMessageQueue: Sendable {
    private var messages: [WebSocket.Message] = []
    /// The number of messages that were taken from the beginning of `messages`.
    private var taken = 0
    private var byteCount = 0

    private static let capacity = 256 * 1024
    /// The bytes that an empty message counts.
    private static let messageCost = 64

    var isEmpty: Bool { taken == messages.count }
    var isFull: Bool { byteCount >= Self.capacity }
    /// Whether a connection that was paused because the queue was full may continue.
    var hasRoom: Bool { byteCount <= Self.capacity / 4 }

    mutating func add(_ message: WebSocket.Message) {
        messages.append(message)
        byteCount += message.byteCount + Self.messageCost
    }

    mutating func take() -> WebSocket.Message? {
        if isEmpty { return nil }
        let message = messages[taken]
        // Otherwise the array would hold the message until its place is removed.
        messages[taken] = .text("")
        taken += 1
        if isEmpty || taken >= 1024 {
            messages.removeFirst(taken)
            taken = 0
        }
        byteCount -= message.byteCount + Self.messageCost
        return message
    }
}
