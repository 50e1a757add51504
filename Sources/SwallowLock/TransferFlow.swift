package enum Flow: Sendable {
    case more
    /// The receiver is full. It has accepted the current body part.
    case pause
}

package enum BodyDelivery: Sendable {
    case collected
    case parts
}

package enum HeadAnswer: Sendable {
    case accept
    /// Drops at most 64 KB of the body, so that the connection can be reused, and otherwise cancels the transfer. No
    /// call to the owner follows.
    case drain
    /// The owner decides later. Only transfers with an event loop support this.
    case later

    /// The maximum number of bytes of an unwanted body that are still read.
    package static let drainLimit = 64 * 1024
}

package enum BodyPiece: Sendable {
    case bytes(Int)
    /// The sender is notified when bytes are available.
    case later
    case end(trailers: [(name: String, value: String)])
    case failure(any Error)
}
