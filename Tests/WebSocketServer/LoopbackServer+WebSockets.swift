import LoopbackServer
import SwallowTesting
import SwallowWebSockets

extension LoopbackServer {
    /// A server whose WebSockets a closure serves. Other requests than handshakes, and handshakes for which `reject`
    /// returns a response, get that response or 404.
    package static func webSockets(
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
