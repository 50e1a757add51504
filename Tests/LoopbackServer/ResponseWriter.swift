import Foundation

/// Puts responses on a socket; its buffer is reused, and what fits in it leaves in one `send`.
struct ResponseWriter {
    private static let inlineLimit = 64 * 1024

    private let socket: Socket
    private var output: [UInt8] = []

    init(socket: Socket) {
        self.socket = socket
    }

    /// Sends a response; says whether the connection stays open. Between drips it is the reader that waits.
    mutating func send(
        _ response: LoopbackServer.Response, to head: RequestHead, pausingBy reader: inout RequestReader
    ) throws(ConnectionFailure) -> Bool {
        let closes = response.header("Connection")?.equalsIgnoringCase("close") == true
        let keepsAlive = head.keepsAlive && !closes
        let body = head.isHTTP10 ? response.body.unchunked : response.body
        appendHead(of: response, body: body)
        if !keepsAlive, !closes { append("Connection: close\r\n") }
        append("\r\n")
        if head.method != "HEAD", !response.isBodiless {
            try send(body, pausingBy: &reader)
        }
        try flush()
        return keepsAlive
    }

    mutating func sendHead(of response: LoopbackServer.Response) throws(ConnectionFailure) {
        appendHead(of: response, body: response.body)
        append("\r\n")
        try flush()
    }

    mutating func sendRejection(status: Int) throws(ConnectionFailure) {
        let response = LoopbackServer.Response(status: status, headers: [("Connection", "close")])
        appendHead(of: response, body: .none)
        append("\r\n")
        try flush()
    }

    mutating func sendEarlyHints() throws(ConnectionFailure) {
        try socket.sendAll("HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n")
    }

    mutating func sendTruncatedBody() throws(ConnectionFailure) {
        append("HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: 1000\r\n\r\n")
        output.append(contentsOf: repeatElement(UInt8(ascii: "x"), count: 500))
        try flush()
    }

    mutating func sendBrokenChunk() throws(ConnectionFailure) {
        append("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n")
        append("5\r\nhello\r\nZZ\r\nworld\r\n")
        try flush()
    }

    mutating func sendEndlessHeaders() throws(ConnectionFailure) {
        append("HTTP/1.1 200 OK\r\n")
        try flush()
        let field = "X-Endless: " + String(repeating: "x", count: 1011) + "\r\n"
        for _ in 0..<64 { append(field) }
        for _ in 0..<1024 { try socket.sendAll(output) }
    }

    private mutating func appendHead(
        of response: LoopbackServer.Response, body: LoopbackServer.Response.Body
    ) {
        append("HTTP/1.1 \(response.status) \(response.reasonPhrase)\r\n")
        for header in response.headers {
            appendLine(header.name)
            append(": ")
            appendLine(header.value)
            append("\r\n")
        }
        let isFramed = response.header("Content-Length") != nil || response.header("Transfer-Encoding") != nil
        guard !isFramed, !response.isBodiless else { return }
        switch body {
        case .none: append("Content-Length: 0\r\n")
        case .data(let data): append("Content-Length: \(data.count)\r\n")
        case .chunked, .drip: append("Transfer-Encoding: chunked\r\n")
        }
    }

    private mutating func send(
        _ body: LoopbackServer.Response.Body, pausingBy reader: inout RequestReader
    ) throws(ConnectionFailure) {
        switch body {
        case .none:
            break
        case .data(let data) where data.count <= Self.inlineLimit:
            output.append(contentsOf: data)
        case .data(let data):
            try flush()
            try socket.sendAll(data)
        case .chunked(let chunks):
            for chunk in chunks { try send(chunk) }
            append("0\r\n\r\n")
        case .drip(let chunks, let interval):
            for (index, chunk) in chunks.enumerated() {
                if index > 0 { try reader.pause(interval) }
                try send(chunk)
            }
            append("0\r\n\r\n")
        }
    }

    /// Sends one chunk by itself. An empty one is left out: it would end the body.
    private mutating func send(_ chunk: Data) throws(ConnectionFailure) {
        guard !chunk.isEmpty else { return }
        append(String(chunk.count, radix: 16))
        append("\r\n")
        output.append(contentsOf: chunk)
        append("\r\n")
        try flush()
    }

    private mutating func append(_ text: String) {
        output.append(contentsOf: text.utf8)
    }

    /// Text that came from a handler: it can't end its line.
    private mutating func appendLine(_ text: String) {
        output.append(contentsOf: text.utf8.lazy.map { $0 == 0x0D || $0 == 0x0A ? 0x20 : $0 })
    }

    private mutating func flush() throws(ConnectionFailure) {
        try socket.sendAll(output)
        output.removeAll(keepingCapacity: true)
    }
}

extension LoopbackServer.Response.Body {
    /// The same content for a peer that doesn't know chunks.
    fileprivate var unchunked: Self {
        switch self {
        case .none, .data: self
        case .chunked(let chunks), .drip(let chunks, _): .data(Data(chunks.joined()))
        }
    }
}

extension Socket {
    func sendAll(_ bytes: some ContiguousBytes) throws(ConnectionFailure) {
        // A Result, because `withUnsafeBytes` would lose the type of what is thrown.
        let outcome = bytes.withUnsafeBytes { bytes in
            Result { () throws(ConnectionFailure) in try sendAll(bytes) }
        }
        try outcome.get()
    }
}
