package enum Flow: Sendable {
    case more
    case pause
}

/// The part of a transfer that its owner has paused.
package enum TransferPause: Comparable, Sendable {
    case none
    /// The request's body is still sent. A transfer that can't separate both sides pauses completely.
    case receiving
    case all
}

package enum HeadAnswer: Sendable {
    case accept
    /// Drops the body, so that the connection can be reused. Cancels a transfer that would receive more than 64 KiB.
    case drain
    /// The owner decides later, by another call. Only transfers with an event loop support this.
    case later

    package static let drainLimit = 64 * 1024
}

package enum BodyPiece: Sendable {
    case bytes(Int)
    case later
    case end(trailers: [(name: String, value: String)])
    case failure(any Error)
}
