import Foundation
import Swallow

extension Connection {
    /// Larger bodies are sent without a copy in `output`.
    private static let copyLimit = 64 * 1024

    /// Sends a response, and returns whether the connection stays open.
    mutating func send(
        _ response: TestServer.Response, to head: RequestHead
    ) throws(ConnectionFailure) -> Bool {
        for gate in response.gates { try reader.wait(for: gate) }
        if response.delay > .zero { try reader.pause(response.delay) }
        if case .raw(let pieces) = response.body {
            for piece in pieces { try socket.sendAll(piece) }
            return false
        }
        for _ in 0..<response.earlyHints {
            let hint = "HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n"
            try socket.sendAll(Data(hint.utf8))
        }
        let announcesClose = response.header("Connection")?.equalsIgnoringCase("close") == true
        let keepsAlive = head.keepsAlive && !isLastRequest && !announcesClose
        if response.interruption?.moment != .beforeHead {
            appendHead(of: response, isHTTP10: head.isHTTP10)
            if !keepsAlive, !announcesClose { append("Connection: close\r\n") }
            append("\r\n")
            if response.interruption?.moment == .inHead {
                output.removeLast(output.count / 2)
            } else if head.method != "HEAD", !response.isBodiless {
                let inChunks = !head.isHTTP10 && !response.isDelimitedByLength
                try sendBody(of: response, inChunks: inChunks)
            }
        }
        try flush()
        if let interruption = response.interruption {
            switch interruption.kind {
            case .reset: socket.resetOnRelease()
            case .close: socket.shutDownSending()
            case .stall: try reader.stall()
            }
            return false
        }
        // If a child process that is just starting has a copy of the socket, closing the socket sends no FIN.
        if response.isLast { socket.shutDownSending() }
        return keepsAlive && !response.isLast
    }

    mutating func sendHead(of response: TestServer.Response) throws(ConnectionFailure) {
        appendHead(of: response, isHTTP10: false)
        append("\r\n")
        try flush()
    }

    mutating func endChunks() throws(ConnectionFailure) {
        append("0\r\n\r\n")
        try flush()
    }

    private mutating func appendHead(of response: TestServer.Response, isHTTP10: Bool) {
        let reason = HTTPURLResponse.localizedString(forStatusCode: response.status)
        append("HTTP/1.1 \(response.status) \(reason)\r\n")
        for header in response.headers {
            appendLine(header.name)
            append(": ")
            appendLine(header.value)
            append("\r\n")
        }
        let isFramed = response.header("Content-Length") != nil || response.header("Transfer-Encoding") != nil
        guard !isFramed, !response.isBodiless else { return }
        switch response.body {
        case .none, .raw: append("Content-Length: 0\r\n")
        case .data(let data): append("Content-Length: \(data.count)\r\n")
        // A client of HTTP/1.0 doesn't support chunks. It reads until the connection is closed.
        case .chunks, .stream: if !isHTTP10 { append("Transfer-Encoding: chunked\r\n") }
        }
    }

    private mutating func sendBody(
        of response: TestServer.Response, inChunks: Bool
    ) throws(ConnectionFailure) {
        let moment = response.interruption?.moment
        switch response.body {
        case .none, .raw: return
        case .data(let data):
            let data = moment == .inBody ? data.prefix(data.count / 2) : data
            return try send(data, trickle: response.trickle)
        case .chunks(let chunks, let interval, let gate):
            let count = moment == .inBody ? (chunks.count + 1) / 2 : chunks.count
            for (index, chunk) in chunks.prefix(count).enumerated() {
                if let gate {
                    try flush()
                    try reader.wait(for: gate)
                }
                if index > 0, interval > .zero { try reader.pause(interval) }
                try send(chunk, inChunks: inChunks)
            }
        case .stream(let next):
            try flush()
            while let chunk = try reader.wait(for: next) {
                try send(chunk, inChunks: inChunks)
                if moment == .inBody { break }
            }
        }
        if moment == nil, inChunks { try endChunks() }
    }

    private mutating func send(
        _ data: Data, trickle: (count: Int, interval: Duration)?
    ) throws(ConnectionFailure) {
        if let trickle {
            for start in stride(from: 0, to: data.count, by: trickle.count) {
                if start > 0 { try reader.pause(trickle.interval) }
                output.append(contentsOf: data.dropFirst(start).prefix(trickle.count))
                try flush()
            }
        } else if data.count <= Self.copyLimit {
            output.append(contentsOf: data)
        } else {
            try flush()
            try socket.sendAll(data)
        }
    }

    /// Omits an empty chunk, because it would mark the end of the body.
    mutating func send(_ chunk: Data, inChunks: Bool) throws(ConnectionFailure) {
        guard !chunk.isEmpty else { return }
        if inChunks { append(String(chunk.count, radix: 16) + "\r\n") }
        output.append(contentsOf: chunk)
        if inChunks { append("\r\n") }
        try flush()
    }

    private mutating func append(_ text: String) {
        output.append(contentsOf: text.utf8)
    }

    /// Appends the test's text, with spaces in place of line breaks, so that it stays one line.
    private mutating func appendLine(_ text: String) {
        output.append(contentsOf: text.utf8.lazy.map { $0 == 0x0D || $0 == 0x0A ? 0x20 : $0 })
    }

    private mutating func flush() throws(ConnectionFailure) {
        try socket.sendAll(output)
        output.removeAll(keepingCapacity: true)
    }
}

extension TestServer.Response {
    /// Responses with these statuses never have a body (RFC 9110 §6.4.1).
    fileprivate var isBodiless: Bool { status < 200 || status == 204 || status == 304 }

    /// Whether `Content-Length` delimits the body. `Transfer-Encoding` would override it (RFC 9112 §6.3).
    fileprivate var isDelimitedByLength: Bool {
        header("Content-Length") != nil && header("Transfer-Encoding") == nil
    }
}
