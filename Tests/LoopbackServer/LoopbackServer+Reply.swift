import Foundation

extension LoopbackServer {
    /// How a request is answered: properly, late, or with a fault.
    public enum Reply: Sendable {
        /// Answers and keeps the connection alive, unless the request or the response says `close`.
        case respond(Response)
        /// The same after a pause, which ends early when the peer leaves or the server stops.
        case delayed(Duration, Response)
        /// Sends this many responses of status 103 before the final one.
        case informational(times: Int, then: Response)

        /// Closes in order (FIN) without a byte of an answer.
        case closeBeforeHead
        /// Resets the connection (RST) without a byte of an answer.
        case resetBeforeHead
        /// Resets the connection (RST) after the head and half the content.
        case resetMidBody
        /// Sends less than its `Content-Length` promises, then closes.
        case truncatedBody
        /// Sends something that isn't HTTP, then closes.
        case garbage
        /// Sends header fields until the peer closes, at most 64 MB of them.
        case endlessHeaders
        /// Sends a good chunk and then one whose size is no number, then closes.
        case brokenChunk
        /// Sends nothing and holds the connection until the peer closes it or the server stops.
        case stall
        /// Answers as if to keep the connection alive, then closes it.
        case closeAfterResponse(Response)
        /// Sends these bytes and closes.
        case raw(Data)
    }
}
