import Swallow
import SwallowWebSockets

/// A line of the chat, as it is sent and received.
struct Line: Codable, Sendable {
    let name: String
    let text: String
}

extension WebService {
    func chat(room: String) -> WebSocket {
        var settings = WebSocket.Settings()
        settings.pingInterval = .seconds(30)
        settings.reconnects = true
        return webSocket("/rooms/\(room)", protocols: ["chat"], settings: settings)
    }
}
