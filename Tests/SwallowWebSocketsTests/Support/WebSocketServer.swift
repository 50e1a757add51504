import Foundation
import LoopbackServer
import Swallow
import SwallowTesting

@testable import SwallowWebSockets

/// The server's side of one WebSocket, on the connection's own thread.
final class ServerSocket {
    let request: LoopbackServer.Request
    private let connection: UpgradedConnection
    private var machine = WebSocketMachine(role: .server, maximumMessageSize: .max)
    private var events: [WebSocketMachine.Event] = []

    init(_ request: LoopbackServer.Request, _ connection: UpgradedConnection) {
        (self.request, self.connection) = (request, connection)
    }

    /// Returns the next event, or `nil` after the client's close frame, and after the connection has ended.
    func next() -> WebSocketMachine.Event? {
        while events.isEmpty {
            guard !machine.hasEnded, let bytes = connection.receive() else { return nil }
            events += machine.receive(Array(bytes))
            flush()
        }
        return events.removeFirst()
    }

    func send(_ text: String) { _ = (machine.sendText(text), flush()) }
    func send(_ bytes: [UInt8]) { _ = (machine.sendBinary(bytes), flush()) }
    func ping(_ payload: [UInt8]) { _ = (machine.sendPing(payload), flush()) }
    func close(_ code: UInt16, _ reason: String = "") {
        _ = (machine.sendClose(code: code, reason: reason), flush())
    }
    func reset() { connection.reset() }

    /// Sends bytes that needn't be frames. Returns `false` if the connection has ended.
    func send(raw bytes: [UInt8]) -> Bool { connection.send(Data(bytes)) }
    func receiveRaw() -> [UInt8]? { connection.receive().map { Array($0) } }

    /// Sends each message back until the client closes.
    func echo() {
        while let event = next() {
            switch event {
            case .text(let text): send(text)
            case .binary(let bytes): send(bytes)
            case .close, .failure: return
            case .ping, .pong: break
            }
        }
    }

    private func flush() { connection.send(Data(machine.takeOutput())) }
}

extension LoopbackServer {
    /// A server whose WebSockets a closure serves. Other requests than handshakes, and handshakes for which `reject`
    /// returns a response, get that response or 404.
    static func webSockets(
        rejecting reject: @escaping @Sendable (Request) -> Response? = { _ in nil },
        extraHeaders: [(String, String)] = [], _ serve: @escaping @Sendable (ServerSocket) -> Void
    ) throws -> LoopbackServer {
        try LoopbackServer { request in
            if let response = reject(request) { return .respond(response) }
            guard let key = request.header("Sec-WebSocket-Key"), request.header("Upgrade") == "websocket",
                request.header("Connection") == "Upgrade", request.header("Sec-WebSocket-Version") == "13"
            else { return .respond(.text("no handshake", status: 404)) }
            var headers = [
                ("Upgrade", "websocket"), ("Connection", "Upgrade"),
                ("Sec-WebSocket-Accept", WebSocketHandshake.accept(for: key)),
            ]
            if let names = request.header("Sec-WebSocket-Protocol") {
                headers.append(("Sec-WebSocket-Protocol", WebSocketHandshake.items(names).last ?? ""))
            }
            return .upgrade(headers: headers + extraHeaders) { serve(ServerSocket(request, $0)) }
        } _: { _ in
            .respond(.status(404))
        }
    }
}

#if os(Linux) && canImport(Glibc)
    extension WebService {
        static func socketTest(
            _ server: LoopbackServer, path: String = "", dataSource: CurlDataSource = CurlDataSource()
        ) -> WebService {
            var service = WebService(baseURLString: server.baseURLString + path, dataSource: dataSource)
            service.unhandledError = nil
            // On a busy machine, the timeout of a close could pass before the close frame is sent.
            service.clock = ManualClock()
            return service
        }
    }
#endif
