import Foundation

/// One connection, served on its own thread from its first request to its end.
struct Connection {
    private let socket: Socket
    private let registry: ConnectionRegistry
    private let port: UInt16
    private let handler: LoopbackServer.Handler
    private let streams: LoopbackServer.StreamHandler
    private var reader: RequestReader
    private var writer: ResponseWriter

    init(
        socket: Socket, registry: ConnectionRegistry, port: UInt16, handler: @escaping LoopbackServer.Handler,
        streams: @escaping LoopbackServer.StreamHandler
    ) {
        self.socket = socket
        self.registry = registry
        self.port = port
        self.handler = handler
        self.streams = streams
        self.reader = RequestReader(socket: socket)
        self.writer = ResponseWriter(socket: socket)
    }

    consuming func run() {
        defer { registry.release(socket) }
        do throws(ConnectionFailure) {
            while try serveRequest() {}
        } catch .rejected(let status) {
            reject(status)
        } catch {}
    }

    /// Answers one request; says whether the connection is still good for another.
    private mutating func serveRequest() throws(ConnectionFailure) -> Bool {
        let head = try reader.readHead()
        let bodiless = LoopbackServer.Request(
            method: head.method, target: head.target, headers: head.headers, body: Data(), port: port)
        if let reply = streams(bodiless) {
            registry.record(bodiless)
            return try stream(reply, to: head)
        }
        let request = LoopbackServer.Request(
            method: head.method, target: head.target, headers: head.headers,
            body: try reader.readBody(of: head), port: port)
        registry.record(request)
        switch handler(request) {
        case .respond(let response):
            return try respond(response, to: head)
        case .delayed(let duration, let response):
            try reader.pause(duration)
            return try respond(response, to: head)
        case .informational(let times, let response):
            for _ in 0..<max(times, 0) { try writer.sendEarlyHints() }
            return try respond(response, to: head)
        case .closeAfterResponse(let response):
            _ = try respond(response, to: head)
            // Closing says nothing for as long as a process that is being started has a copy of the socket.
            socket.shutDownSending()
        case let fault:
            try misbehave(fault)
        }
        return false
    }

    private mutating func respond(
        _ response: LoopbackServer.Response, to head: RequestHead
    ) throws(ConnectionFailure) -> Bool {
        try writer.send(response, to: head, pausingBy: &reader)
    }

    private mutating func stream(
        _ reply: LoopbackServer.StreamReply, to head: RequestHead
    ) throws(ConnectionFailure) -> Bool {
        switch reply {
        case .echo:
            let type = head.header("Content-Type") ?? "application/octet-stream"
            try writer.beginChunks(contentType: type)
            let writer = ChunkWriter(socket: socket)
            _ = try reader.readBody(of: head) { (piece) throws(ConnectionFailure) in try writer.send(piece) }
            try writer.end()
            return head.keepsAlive
        case .report:
            let report = try reader.readBody(of: head) { (_) throws(ConnectionFailure) in }
            return try respond(.json(report.json), to: head)
        case .respond(let response):
            return try respond(response, to: head)
        case .stall:
            socket.waitUntilClosed()
            return false
        case .upgrade(let headers, let serve):
            let fields = headers.map { "\($0): \($1)\r\n" }.joined()
            try socket.sendAll(Data("HTTP/1.1 101 Switching Protocols\r\n\(fields)\r\n".utf8))
            serve(UpgradedConnection(socket: socket))
            return false
        }
    }

    private mutating func misbehave(_ fault: LoopbackServer.Reply) throws(ConnectionFailure) {
        switch fault {
        case .resetBeforeHead:
            socket.resetOnRelease()
        case .resetMidBody:
            socket.resetOnRelease()
            try writer.sendTruncatedBody()
        case .truncatedBody:
            try writer.sendTruncatedBody()
        case .garbage:
            try socket.sendAll("\u{1}\u{2} this is no status line\r\n\r\n")
        case .endlessHeaders:
            try writer.sendEndlessHeaders()
        case .brokenChunk:
            try writer.sendBrokenChunk()
        case .stall:
            try reader.pause(nil)
        case .raw(let data):
            try socket.sendAll(data)
        case .closeBeforeHead, .respond, .delayed, .informational, .closeAfterResponse:
            break
        }
    }

    private mutating func reject(_ status: Int) {
        do throws(ConnectionFailure) {
            try writer.sendRejection(status: status)
            socket.shutDownSending()
            reader.drain()
        } catch {}
    }
}
