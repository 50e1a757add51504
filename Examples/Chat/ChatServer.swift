import Foundation
import LoopbackServer
import WebSocketServer

/// A chat server on this machine. It sends each line to everybody in the room. Its robot welcomes guests, and repeats
/// questions in capital letters.
// Unchecked, because `guests` is only used while the lock is held.
final class ChatServer: @unchecked Sendable {
    private let lock = NSLock()
    private var guests: [ServerSocket] = []

    func start() throws -> LoopbackServer {
        try LoopbackServer.webSockets { guest in self.serve(guest) }
    }

    /// Closes the WebSocket of one guest, or of all guests.
    func close(_ name: String? = nil, code: UInt16, reason: String) {
        lock.withLock {
            for guest in guests where name == nil || guest.name == name { guest.close(code, reason) }
        }
    }

    /// Receives the messages of a guest until its WebSocket is closed. Each guest has a thread of its own.
    private func serve(_ guest: ServerSocket) {
        lock.withLock { guests.append(guest) }
        say("\(guest.name) joined", in: guest.room)
        var farewell = ""
        while let event = guest.next() {
            switch event {
            case .text(let text): relay(text, to: guest.room)
            case .close(_, let reason) where !reason.isEmpty: farewell = ": \(reason)"
            case .binary, .ping, .pong, .close, .failure: break
            }
        }
        lock.withLock { guests.removeAll { $0 === guest } }
        say("\(guest.name) left\(farewell)", in: guest.room)
    }

    private func relay(_ text: String, to room: String) {
        send(text, to: room)
        let line = try? JSONDecoder().decode(Line.self, from: Data(text.utf8))
        if let line, line.text.hasSuffix("?") { say(line.text.uppercased(), in: room) }
    }

    private func say(_ text: String, in room: String) {
        guard let line = try? JSONEncoder().encode(Line(name: "robot", text: text)) else { return }
        send(String(decoding: line, as: UTF8.self), to: room)
    }

    private func send(_ line: String, to room: String) {
        lock.withLock {
            for guest in guests where guest.room == room { guest.send(line) }
        }
    }
}

extension ServerSocket {
    fileprivate var room: String { request.path }
    fileprivate var name: String { request.queryItems.first { $0.name == "name" }?.value ?? "a guest" }
}
