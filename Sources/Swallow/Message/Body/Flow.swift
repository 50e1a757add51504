/// Whether a transfer continues to send body parts.
package enum Flow: Sendable {
    case more
    /// The receiver is full. It has accepted the current body part.
    case pause
}
