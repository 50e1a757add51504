import Foundation

extension LoopbackServer {
    /// How a request is answered whose body is read in pieces, or not at all.
    public enum StreamReply: Sendable {
        /// Status 200 at once, then each piece of the body as it comes, in chunks.
        case echo
        /// What the body was like, as JSON: `length`, `sum` (Adler-32), `isChunked`, `chunks`, `trailers` (lines).
        case report
        /// A response before the body, which is not read: as the start of another request it gets a 400.
        case respond(Response)
        /// Reads nothing and says nothing, until the peer has left or the server stops.
        case stall
        /// Status 101 with these fields, then whatever the closure does. The connection ends with the closure.
        case upgrade(headers: [(String, String)], @Sendable (UpgradedConnection) -> Void)
    }

    /// Routes whose bodies may have any size.
    ///
    /// | Route | Answer |
    /// |---|---|
    /// | `/stream/echo` | the body's pieces as they come |
    /// | `/stream/report` | what the body was like |
    /// | `/stream/refuse`, `/stream/refuse-and-close` | 413 before the body, with `Connection: close` or without |
    /// | `/stream/stall` | nothing; the body isn't read |
    public static func standardStreams(_ request: Request) -> StreamReply? {
        switch request.path {
        case "/stream/echo": .echo
        case "/stream/report": .report
        case "/stream/refuse": .respond(.text("too large", status: 413))
        case "/stream/refuse-and-close":
            .respond(
                Response(
                    status: 413, headers: [("Connection", "close"), ("Content-Type", "text/plain")],
                    body: .data(Data("too large".utf8))))
        case "/stream/stall": .stall
        default: nil
        }
    }

    /// The Adler-32 checksum (RFC 1950 §8.2) of bytes, as reports have it.
    public static func checksum(_ data: Data) -> Int {
        var report = BodyReport()
        report.add(data)
        return report.sum
    }
}

/// What a body was like that nobody kept.
struct BodyReport {
    var isChunked = false
    var chunks = 0
    var trailers: [String] = []
    private var length = 0
    private var low: UInt32 = 1
    private var high: UInt32 = 0

    var sum: Int { Int(high << 16 | low) }

    mutating func add(_ piece: Data) {
        length += piece.count
        piece.withUnsafeBytes { bytes in
            // By indices: in a debug build each step of a slice's iterator takes the runtime's lock.
            var index = 0
            while index < bytes.count {
                // So many fit into 32 bits between two divisions.
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

    var json: Data {
        let object: [String: Any] = [
            "length": length, "sum": sum, "isChunked": isChunked, "chunks": chunks, "trailers": trailers,
        ]
        return (try? JSONSerialization.data(withJSONObject: object, options: .sortedKeys)) ?? Data()
    }
}

/// Sends chunks as they are, each by itself.
struct ChunkWriter {
    let socket: Socket

    func send(_ piece: Data) throws(ConnectionFailure) {
        try socket.sendAll(Data("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Data("\r\n".utf8))
    }

    func end() throws(ConnectionFailure) {
        try socket.sendAll("0\r\n\r\n")
    }
}

extension ResponseWriter {
    /// Sends the head of a response in chunks.
    mutating func beginChunks(contentType: String) throws(ConnectionFailure) {
        try sendHead(of: .init(headers: [("Content-Type", contentType)], body: .chunked([])))
    }
}
