import Foundation
import Swallow

extension TestServer.Response {
    /// The moment of a response at which the server fails.
    public enum Moment: Sendable {
        /// Before the first byte of the response.
        case beforeHead
        /// After the first half of the status line and the header fields.
        case inHead
        /// After the first half of the body, or of its chunks. For a stream, after its first chunk.
        case inBody
        /// After all bytes or chunks. The last chunk, which ends a body in chunks, isn't sent.
        case afterBody
    }

    struct Interruption: Sendable {
        enum Kind: Sendable { case reset, close, stall }

        let kind: Kind
        let moment: Moment
    }

    /// Returns the response with a reset of the connection (RST) at a moment.
    public func reset(_ moment: Moment) -> Self { interrupted(.reset, moment) }

    /// Returns the response with an orderly close of the connection (FIN) at a moment.
    public func closed(_ moment: Moment) -> Self { interrupted(.close, moment) }

    /// Returns the response without the bytes after a moment. The connection stays open until the client closes it or
    /// the server stops.
    public func stalled(_ moment: Moment) -> Self { interrupted(.stall, moment) }

    /// Returns the response with a body that is sent in pieces of this many bytes, with an interval between them. Has no
    /// effect on chunks.
    public func trickled(bytes count: Int, every interval: Duration) -> Self {
        changed { $0.trickle = (max(count, 1), interval) }
    }

    /// Returns the response with a `Content-Length` that needn't be the length of the body. The connection is closed
    /// after the body.
    public func contentLength(_ length: Int) -> Self {
        changed { response in
            response.headers.removeAll { $0.name.equalsIgnoringCase("Content-Length") }
            response.headers.append(("Content-Length", "\(length)"))
            response.isLast = true
        }
    }

    /// Returns the response with a close of the connection after it, which isn't announced. To announce it, add
    /// `Connection: close` to the response's headers.
    public func closingConnection() -> Self { changed { $0.isLast = true } }

    /// Returns the response with a delay before its head. A client that leaves ends the delay. Several delays add up.
    public func delayed(_ delay: Duration) -> Self { changed { $0.delay += delay } }

    /// Returns the response held by a gate until the test opens it.
    public func held(by gate: Gate) -> Self { changed { $0.gates.append(gate) } }

    private func interrupted(_ kind: Interruption.Kind, _ moment: Moment) -> Self {
        changed { $0.interruption = Interruption(kind: kind, moment: moment) }
    }

    private func changed(_ change: (inout Self) -> Void) -> Self {
        var response = self
        change(&response)
        return response
    }
}
