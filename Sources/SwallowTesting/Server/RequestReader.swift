import Foundation
import Swallow

package struct RequestReader {
    static let headLimit = 64 * 1024
    package static let bodyLimit = 64 * 1024 * 1024

    private let socket: Socket
    /// The bytes that this type hasn't used yet, for example requests that the client sends before the response.
    private var input: ArraySlice<UInt8> = []
    private var wakeUp: WakeUp?

    init(socket: Socket) {
        self.socket = socket
    }

    /// Blocks until the next head is complete. Empty lines before it are skipped (RFC 9112 §2.2).
    mutating func readHead() throws(ConnectionFailure) -> RequestHead {
        var lines: [String] = []
        while lines.isEmpty { lines = try readLines() }
        return try RequestHead(lines)
    }

    mutating func readBody(of head: RequestHead) throws(ConnectionFailure) -> Data {
        var body = Data()
        _ = try readBody(of: head, limit: Self.bodyLimit) { (piece) throws(ConnectionFailure) in
            body += piece
        }
        return body
    }

    /// Calls `take` with each piece of the body as it arrives. Sends status 100 before a body if the client expects it.
    /// Returns the number of chunks, or `nil` for a body that isn't chunked, and the lines of the trailer.
    mutating func readBody(
        of head: RequestHead, limit: Int = .max, each take: (Data) throws(ConnectionFailure) -> Void
    ) throws(ConnectionFailure) -> (chunks: Int?, trailers: [String]) {
        let length = try head.bodyLength()
        if length == 0 { return (nil, []) }
        guard length ?? 0 <= limit else { throw .rejected(status: 413) }
        if head.expectsContinue { try socket.sendAll(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }
        guard let length else { return (try passChunks(limit: limit, to: take), try readLines()) }
        try pass(length, to: take)
        return (nil, [])
    }

    private mutating func pass(
        _ count: Int, to take: (Data) throws(ConnectionFailure) -> Void
    ) throws(ConnectionFailure) {
        var missing = count
        while missing > 0 {
            if input.isEmpty { try fill() }
            let piece = input.prefix(missing)
            input = input.dropFirst(piece.count)
            missing -= piece.count
            try take(Data(piece))
        }
    }

    /// Drops bytes until the client leaves or has sent over 64 MiB, because unread ones would reset the connection.
    func drain() {
        var dropped = 0
        while dropped <= Self.bodyLimit, let bytes = try? socket.receive() { dropped += bytes.count }
    }

    private mutating func passChunks(
        limit: Int, to take: (Data) throws(ConnectionFailure) -> Void
    ) throws(ConnectionFailure) -> Int {
        var (chunks, total) = (0, 0)
        while case let size = try readChunkSize(), size > 0 {
            guard size <= limit - total else { throw .rejected(status: 413) }
            (chunks, total) = (chunks + 1, total + size)
            try pass(size, to: take)
            guard try readLine().isEmpty else { throw .rejected(status: 400) }
        }
        return chunks
    }

    private mutating func readLines() throws(ConnectionFailure) -> [String] {
        var (lines, length) = ([String](), 0)
        while case let line = try readLine(), !line.isEmpty {
            lines.append(line)
            length += line.utf8.count
            guard length <= Self.headLimit else { throw .rejected(status: 431) }
        }
        return lines
    }

    private mutating func readChunkSize() throws(ConnectionFailure) -> Int {
        let line = try readLine()
        let digits = line.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
        guard digits.first?.isHexDigit == true, let size = Int(digits, radix: 16)
        else { throw .rejected(status: 400) }
        return size
    }

    private mutating func readLine() throws(ConnectionFailure) -> String {
        while true {
            if let end = input.firstIndex(of: 0x0A) {
                let line = input[..<end]
                guard line.last == 0x0D else { throw .rejected(status: 400) }
                input = input[(end + 1)...]
                return HTTPSyntax.text(line.dropLast())
            }
            guard input.count <= Self.headLimit else { throw .rejected(status: 431) }
            try fill()
        }
    }

    private mutating func fill() throws(ConnectionFailure) { input += try socket.receive() }
}

/// These functions throw `.disconnected` if the client leaves or the server stops. They buffer bytes that arrive.
extension RequestReader {
    mutating func pause(_ duration: Duration) throws(ConnectionFailure) {
        let end = ContinuousClock.now.advanced(by: duration)
        while socket.waitUntilReadable(until: end) { try keepInput() }
    }

    /// Blocks until it throws.
    mutating func stall() throws(ConnectionFailure) {
        while true { try keepInput() }
    }

    mutating func wait(for gate: Gate) throws(ConnectionFailure) {
        let wakeUp = try usableWakeUp()
        guard let visit = gate.enter({ wakeUp.signal() }) else { return }
        try wait(for: wakeUp, onFailure: visit.cancel)
    }

    /// Blocks this thread until async work is done. Cancels the work if the client leaves or the server stops.
    mutating func wait<Value: Sendable>(
        for work: @escaping @Sendable () async -> Value
    ) throws(ConnectionFailure) -> Value {
        let (wakeUp, result) = (try usableWakeUp(), Lock<Value?>(nil))
        // A client with a timeout may be waiting, so the work takes precedence over the tasks of other tests.
        let task = Task(priority: .high) {
            let value = await work()
            result.withLock { $0 = value }
            wakeUp.signal()
        }
        try wait(for: wakeUp, onFailure: task.cancel)
        guard let value = result.withLock({ $0 }) else { throw .disconnected }
        return value
    }

    private mutating func wait(
        for wakeUp: WakeUp, onFailure cancel: () -> Void
    ) throws(ConnectionFailure) {
        do throws(ConnectionFailure) {
            while !socket.waitUntilReadable(or: wakeUp) { try keepInput() }
        } catch {
            cancel()
            throw error
        }
        wakeUp.removeSignal()
    }

    private mutating func keepInput() throws(ConnectionFailure) {
        // A client that sends more than 64 KiB during a pause is broken.
        guard input.count <= Self.headLimit else { throw .disconnected }
        try fill()
    }

    /// Returns the wake-up of an earlier wait, if any, because a new one takes five system calls.
    private mutating func usableWakeUp() throws(ConnectionFailure) -> WakeUp {
        guard let wakeUp = try? self.wakeUp ?? WakeUp() else { throw .disconnected }
        self.wakeUp = wakeUp
        return wakeUp
    }
}
