import Foundation
import Swallow

/// The reply to a request whose body is read in pieces, or isn't read.
package enum BodyReply: Sendable {
    /// Status 200 immediately, then each piece of the body as it arrives, in chunks.
    case echo
    /// A description of the body as JSON: `length`, `sum` (Adler-32), `isChunked`, `chunks`, `trailers` (lines).
    case report
    /// A response before the body, which isn't read. If the connection stays open, the body is read as a request, which
    /// receives status 400.
    case respond(TestServer.Response)
    /// Reads nothing and sends nothing until the client leaves or the server stops.
    case stall
    /// Status 101 with these fields, and then the bytes that the closure sends. The connection ends with the closure.
    case upgrade(headers: [(String, String)], @Sendable (UpgradedConnection) -> Void)
}

/// A description of a body that wasn't stored.
package struct BodyReport {
    private var length = 0
    private var low: UInt32 = 1
    private var high: UInt32 = 0

    package init() {}

    /// The Adler-32 checksum (RFC 1950 §8.2).
    package var sum: Int { Int(high << 16 | low) }

    package mutating func add(_ piece: Data) {
        length += piece.count
        piece.withUnsafeBytes { bytes in
            // Indices are faster than iterators in a debug build, in which each step of an iterator takes a lock.
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

/// Sends each piece as a chunk.
struct ChunkWriter {
    let socket: Socket

    func send(_ piece: Data) throws(ConnectionFailure) {
        try socket.sendAll(Data("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Data("\r\n".utf8))
    }

    func end() throws(ConnectionFailure) {
        try socket.sendAll("0\r\n\r\n")
    }
}
