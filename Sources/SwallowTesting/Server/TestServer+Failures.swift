import Foundation
import Swallow

extension TestServer.Response {
    /// The moment of a response at which the server fails.
    public enum Moment: Sendable {
        /// Before the first byte of the response.
        case beforeHead
        /// After about half of the bytes of the status line and the header fields.
        case inHead
        /// After half of the body's bytes (rounded down) or chunks (rounded up). For a stream, after its first chunk.
        case inBody
        /// After all bytes of the body. If the body is sent in chunks, the empty last chunk isn't sent.
        case afterBody
    }

    struct Interruption: Sendable {
        enum Kind: Sendable { case reset, close, stall }

        let kind: Kind
        let moment: Moment
    }

    /// Returns the response, during which the server resets the connection (RST).
    public func reset(_ moment: Moment) -> Self { interrupted(.reset, moment) }

    /// Returns the response, during which the server closes the connection in an orderly way (FIN).
    public func closed(_ moment: Moment) -> Self { interrupted(.close, moment) }

    /// Returns the response, during which the server stops sending but leaves the connection open.
    public func stalled(_ moment: Moment) -> Self { interrupted(.stall, moment) }

    /// Returns the response, whose body is sent in pieces of `count` bytes at an interval. Has no effect on chunks.
    public func trickled(bytes count: Int, every interval: Duration) -> Self {
        changed { $0.trickle = (max(count, 1), interval) }
    }

    /// Returns the response with a `Content-Length` that may be wrong. Chunks are then sent unframed, unless the response
    /// has a `Transfer-Encoding`. The server closes the connection after the body.
    public func contentLength(_ length: Int) -> Self {
        changed { response in
            response.headers.removeAll { $0.name.equalsIgnoringCase("Content-Length") }
            response.headers.append(("Content-Length", "\(length)"))
            response.isLast = true
        }
    }

    /// Returns the response, after which the server closes the connection. This adds no `Connection: close`.
    public func closingConnection() -> Self { changed { $0.isLast = true } }

    /// Returns the response with a delay before its head, in real time. Several delays add up.
    public func delayed(_ delay: Duration) -> Self { changed { $0.delay += delay } }

    /// Returns the response, which a gate holds until the test opens the gate.
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
