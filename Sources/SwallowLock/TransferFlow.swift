// The vocabulary of transfers, which the engine and the data sources share.

/// Whether a transfer continues to send body parts.
package enum Flow: Sendable {
    case more
    /// The receiver is full. It has accepted the current body part.
    case pause
}

/// How the owner of a transfer wants the body.
package enum BodyDelivery: Sendable {
    /// The complete body arrives with the completion.
    case collected
    /// Body parts arrive as they are received.
    case parts
}

/// What happens to the body after a head.
package enum HeadAnswer: Sendable {
    /// The body is delivered.
    case accept
    /// The transfer reads and drops at most 64 KB of the body, so that the connection can be reused, and is cancelled
    /// otherwise. No call to the owner follows.
    case drain
    /// The owner decides later. The transfer delivers nothing before that. Only transfers with an event loop receive this
    /// answer.
    case later

    /// The most bytes of an unwanted body that are still read.
    package static let drainLimit = 64 * 1024
}

/// The next bytes of a request's body.
package enum BodyPiece: Sendable {
    /// The number of bytes that were moved to a buffer.
    case bytes(Int)
    /// No bytes are available yet. The sender is notified when bytes are available.
    case later
    case end(trailers: [(name: String, value: String)])
    case failure(any Error)
}
