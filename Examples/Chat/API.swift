import Swallow
import SwallowWebSockets

/// A line of the chat, as it is sent and received.
struct Line: Codable, Sendable, CustomStringConvertible {
    let name: String
    let text: String

    var description: String { "\(name): \(text)" }
}

extension WebService {
    /// Joins a room. After a lost connection, the WebSocket connects again.
    func chat(room: String, name: String) -> WebSocket {
        var settings = WebSocket.Settings()
        settings.pingInterval = .seconds(30)
        settings.reconnects = true
        return webSocket(
            "/rooms/\(room)", protocols: ["chat"], parameters: ["name": name], settings: settings)
    }
}
