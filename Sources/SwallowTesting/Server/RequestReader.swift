import Foundation
import Swallow

/// Reads requests from a socket. The buffer also keeps requests that the client sends before the response.
package struct RequestReader {
    static let headLimit = 64 * 1024
    package static let bodyLimit = 64 * 1024 * 1024

    private let socket: Socket
    private var input = InputBuffer()
    private var wakeUp: WakeUp?

    init(socket: Socket) {
        self.socket = socket
    }

    /// Blocks until the next head is complete. Empty lines before it are skipped (RFC 9112 §2.2).
    mutating func readHead() throws(ConnectionFailure) -> RequestHead {
        while try isAtEmptyLine() { input.drop(2) }
        var searched = 0
        while true {
            if let length = headLength(searchedBefore: searched) {
                guard length <= Self.headLimit else { throw .rejected(status: 431) }
                let head = input.withBytes { bytes in
                    Result { () throws(ConnectionFailure) in
                        try RequestHead(UnsafeBufferPointer(rebasing: bytes[..<length]))
                    }
                }
                input.drop(length + 4)
                return try head.get()
            }
            guard input.count <= Self.headLimit else { throw .rejected(status: 431) }
            searched = input.count
            try input.fill(from: socket)
        }
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
        let framing = try head.framing()
        if case .length(let length) = framing {
            guard length > 0 else { return (nil, []) }
            guard length <= limit else { throw .rejected(status: 413) }
        }
        if head.expectsContinue { try socket.sendAll("HTTP/1.1 100 Continue\r\n\r\n") }
        switch framing {
        case .length(let length):
            try pass(length, to: take)
            return (nil, [])
        case .chunked:
            return (try passChunks(limit: limit, to: take), try readTrailers())
        }
    }

    private mutating func pass(
        _ count: Int, to take: (Data) throws(ConnectionFailure) -> Void
    ) throws(ConnectionFailure) {
        var missing = count
        while missing > 0 {
            if input.count == 0 { try input.fill(from: socket) }
            let piece = input.take(upTo: min(missing, 1 << 16))
            missing -= piece.count
            try take(piece)
        }
    }

    /// Drops bytes until the client leaves or has sent over 64 MiB, because unread ones would reset the connection.
    mutating func drain() {
        var dropped = 0
        do throws(ConnectionFailure) {
            while dropped <= Self.bodyLimit {
                dropped += input.count
                input.drop(input.count)
                try input.fill(from: socket)
            }
        } catch {}
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

    private mutating func readTrailers() throws(ConnectionFailure) -> [String] {
        var (trailers, length) = ([String](), 0)
        while case let line = try readLine(), !line.isEmpty {
            trailers.append(line)
            length += line.utf8.count
            guard length <= Self.headLimit else { throw .rejected(status: 431) }
        }
        return trailers
    }

    private mutating func readChunkSize() throws(ConnectionFailure) -> Int {
        let line = try readLine()
        let digits = line.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
        guard digits.first?.isHexDigit == true else { throw .rejected(status: 400) }
        guard let size = Int(digits, radix: 16) else { throw .rejected(status: 400) }
        return size
    }

    private mutating func readLine() throws(ConnectionFailure) -> String {
        while true {
            if let end = input.withBytes({ $0.firstIndex(of: 0x0A) }) {
                let line = input.withBytes { Array($0[..<end]) }
                guard line.last == 0x0D else { throw .rejected(status: 400) }
                input.drop(end + 1)
                return String(decoding: line.dropLast(), as: UTF8.self)
            }
            guard input.count <= Self.headLimit else { throw .rejected(status: 431) }
            try input.fill(from: socket)
        }
    }

    private mutating func isAtEmptyLine() throws(ConnectionFailure) -> Bool {
        while input.count < 2 { try input.fill(from: socket) }
        return input.withBytes { $0.starts(with: [0x0D, 0x0A]) }
    }

    private func headLength(searchedBefore count: Int) -> Int? {
        input.withBytes { bytes in
            var index = max(count, 3)
            while index < bytes.count {
                if bytes[index] == 0x0A, bytes[index - 1] == 0x0D, bytes[index - 2] == 0x0A,
                    bytes[index - 3] == 0x0D
                {
                    return index - 3
                }
                index += 1
            }
            return nil
        }
    }
}

/// These functions throw `.disconnected` if the client leaves or the server stops. They buffer bytes that arrive.
extension RequestReader {
    /// Blocks for a duration, or forever if it is `nil`.
    mutating func pause(_ duration: Duration?) throws(ConnectionFailure) {
        let deadline = duration.map { ContinuousClock.now.advanced(by: $0) }
        while socket.waitUntilReadable(until: deadline) { try keepInput() }
    }

    mutating func wait(for gate: Gate) throws(ConnectionFailure) {
        let wakeUp = try usableWakeUp()
        let visit = gate.enter { wakeUp.signal() }
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
        try input.fill(from: socket)
    }

    /// Returns the wake-up of an earlier wait, if any, because a new one takes five system calls.
    private mutating func usableWakeUp() throws(ConnectionFailure) -> WakeUp {
        do {
            let wakeUp = try self.wakeUp ?? WakeUp()
            self.wakeUp = wakeUp
            return wakeUp
        } catch {
            throw .disconnected
        }
    }
}
