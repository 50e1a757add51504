import Foundation
import Swallow
import SwallowWebSockets

/// One person in a room.
struct Guest {
    let name: String
    let socket: WebSocket
    private var lines: WebSocketMessages<Line>.AsyncIterator

    init(_ name: String, in room: String, of service: WebService) {
        self.name = name
        socket = service.chat(room: room, name: name)
        lines = socket.messages(as: Line.self).makeAsyncIterator()
    }

    func say(_ text: String) async throws { try await socket.send(json: Line(name: name, text: text)) }

    /// Waits for the next line. After the last line, returns how the WebSocket was closed.
    mutating func next() async throws -> String {
        if let line = try await lines.next() { return line.description }
        return await socket.closeStatus.map { "\($0)" } ?? ""
    }
}

/// Lets Ann and Bob talk, and shows in two columns what they see.
func runDemo() async throws {
    let server = ChatServer()
    let listener = try server.start()
    defer { listener.stop() }
    var service = WebService(baseURLString: listener.baseURLString)
    service.clock = FastClock()

    show("ANN SEES", "BOB SEES")
    var ann = Guest("ann", in: "lobby", of: service)
    try await show(ann.next())
    var bob = Guest("bob", in: "lobby", of: service)
    try await show(ann.next(), bob.next())

    try await ann.say("hello, bob")
    try await show(ann.next(), bob.next())
    try await bob.say("is anybody else here?")
    try await show(ann.next(), bob.next())
    // The robot has answered.
    try await show(ann.next(), bob.next())

    // With this code, the server asks the client to connect again.
    server.close("bob", code: 1012, reason: "restarting")
    try await show(ann.next())
    // Bob's line waits for his next connection.
    try await bob.say("I'm back")
    try await show(ann.next(), bob.next())
    try await show(ann.next(), bob.next())

    bob.socket.close(.normal, reason: "good night")
    try await show(ann.next(), bob.next())
    server.close(code: 1000, reason: "closing time")
    try await show(ann.next())
}

private func show(_ left: String, _ right: String = "") {
    print(right.isEmpty ? left : left.padding(toLength: 32, withPad: " ", startingAt: 0) + right)
}

/// Shortens all delays, because a WebSocket waits three seconds before it connects again.
private struct FastClock: ServiceClock {
    private let system: SystemClock = .system

    var now: Date { system.now }

    func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> ScheduledWork {
        system.schedule(after: delay / 4, action)
    }
}
