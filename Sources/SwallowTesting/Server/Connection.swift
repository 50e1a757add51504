import Foundation
import Swallow

/// A connection of a client, whose requests are served on one thread. It can be used no longer after an error.
struct Connection {
    let socket: Socket
    private let number: Int
    private let port: UInt16
    private let registry: ConnectionRegistry
    private let settings: ConnectionSettings
    var reader: RequestReader
    var output: [UInt8] = []
    private var requestCount = 0

    init(
        _ socket: Socket, number: Int, port: UInt16, _ registry: ConnectionRegistry,
        _ settings: ConnectionSettings
    ) {
        (self.socket, self.number, self.port) = (socket, number, port)
        (self.registry, self.settings) = (registry, settings)
        reader = RequestReader(socket: socket)
    }

    consuming func run() {
        defer { registry.release(socket) }
        do throws(ConnectionFailure) {
            while try serveRequest() {}
        } catch .rejected(let status) {
            reject(status)
        } catch {}
    }

    private mutating func serveRequest() throws(ConnectionFailure) -> Bool {
        let head = try reader.readHead()
        requestCount += 1
        let bodiless = request(head, Data())
        if let reply = settings.bodyReply(bodiless) {
            registry.record(bodiless)
            return try send(reply, to: head)
        }
        let request = request(head, try reader.readBody(of: head))
        registry.record(request)
        return try send(try response(to: request), to: head)
    }

    var isLastRequest: Bool { requestCount >= settings.requestsPerConnection }

    private func request(_ head: RequestHead, _ body: Data) -> TestServer.Request {
        TestServer.Request(
            method: head.method, target: head.target, headers: head.headers, body: body, connection: number,
            port: port)
    }

    private mutating func response(
        to request: TestServer.Request
    ) throws(ConnectionFailure) -> TestServer.Response {
        switch settings.responder {
        case .blocking(let respond): respond(request)
        case .asynchronous(let handler):
            try reader.wait {
                do {
                    return try await handler(request)
                } catch {
                    return .text("The server's closure threw \(error).", status: 500)
                }
            }
        }
    }

    private mutating func send(_ reply: BodyReply, to head: RequestHead) throws(ConnectionFailure) -> Bool {
        switch reply {
        case .echo:
            let type = head.headers[.contentType] ?? "application/octet-stream"
            try sendHead(of: .init(headers: [("Content-Type", type)], body: .chunks([])))
            // A copy of the reader, because the closure changes the connection.
            var reader = reader
            _ = try reader.readBody(of: head) { (piece) throws(ConnectionFailure) in
                try send(piece, inChunks: true)
            }
            self.reader = reader
            try endChunks()
            return head.keepsAlive
        case .read(let take, let respond):
            let (chunks, trailers) = try reader.readBody(of: head) { (piece) throws(ConnectionFailure) in
                take(piece)
            }
            return try send(respond(chunks, trailers), to: head)
        case .respond(let response):
            return try send(response, to: head)
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

    private mutating func reject(_ status: Int) {
        do throws(ConnectionFailure) {
            try sendHead(of: .init(status: status, headers: [("Connection", "close")]))
            socket.shutDownSending()
            reader.drain()
        } catch {}
    }
}
