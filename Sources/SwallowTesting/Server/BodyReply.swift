import Foundation
import Swallow

/// The reply to a request whose body the server reads in pieces, or doesn't read.
package enum BodyReply: Sendable {
    /// Status 200 immediately, and then each piece of the body as a chunk when it arrives.
    case echo
    /// JSON that describes the body, with the members `length`, `sum` (Adler-32), `isChunked`, `chunks` and `trailers`.
    case report
    /// A response that is sent without reading the body. If the connection stays open, the server parses the body as
    /// the next request, and usually responds with status 400.
    case respond(TestServer.Response)
    /// No response. The server waits until the client leaves or the server stops.
    case stall
    /// Status 101 with these fields. Then the closure uses the connection, which is closed when the closure returns.
    case upgrade(headers: [(String, String)], @Sendable (UpgradedConnection) -> Void)
}

/// The length and Adler-32 checksum (RFC 1950 §8.2) of a body, computed without storing the body.
package struct BodyReport {
    private var length = 0
    private var low: UInt32 = 1
    private var high: UInt32 = 0

    package init() {}

    package var sum: Int { Int(high << 16 | low) }

    package mutating func add(_ piece: Data) {
        length += piece.count
        piece.withUnsafeBytes { bytes in
            // In a debug build, an index is faster than an iterator.
            var index = 0
            while index < bytes.count {
                // The sums can't overflow within 5,552 bytes.
                let end = min(index + 5552, bytes.count)
                while index < end {
                    low &+= UInt32(bytes[index])
                    high &+= low
                    index += 1
                }
                low %= 65521
                high %= 65521
            }
        }
    }

    func json(chunks: Int?, trailers: [String]) -> JSON {
        [
            "chunks": .number(chunks ?? 0), "isChunked": .bool(chunks != nil), "length": .number(length),
            "sum": .number(sum), "trailers": .array(trailers.map { .string($0) }),
        ]
    }
}
