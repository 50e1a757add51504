struct WebSocketMessageQueue: Sendable {
    private var messages: [WebSocket.Message] = []
    /// The number of places at the beginning of `messages` whose message was taken.
    private var taken = 0
    private var byteCount = 0

    private static let capacity = 256 * 1024
    /// The number of bytes that each message counts in addition to its data.
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
        // Releases the message, although its place in the array is removed later.
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
