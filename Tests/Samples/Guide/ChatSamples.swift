import Observation
import Swallow
import SwallowTesting
import SwallowWebSockets
import TestSupport
import Testing

struct Line: Codable, Equatable, Sendable {
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

@MainActor @Observable final class ChatScreen {
    private(set) var lines: [Line] = []
    private(set) var problem: String?
    private let socket: WebSocket

    init(_ service: WebService, room: String) { socket = service.chat(room: room) }

    var isOnline: Bool { socket.state == .open }

    func run() async {
        do {
            for try await line in socket.messages(as: Line.self) { lines.append(line) }
        } catch {
            if !error.isCancelled { problem = error.userMessage }
        }
    }

    func send(_ text: String, from name: String) async {
        do {
            try await socket.send(json: Line(name: name, text: text))
        } catch {
            problem = error.userMessage
        }
    }

    func leave() { socket.close() }
}

@Suite("The samples about a chat")
struct ChatSamples {
    @MainActor @Test func reconnectingChat() async {
        let server = StubWebSocket(subprotocol: "chat")
        var service = WebService(baseURLString: "https://chat.example.com", dataSource: server)
        let clock = ManualClock()
        service.clock = clock
        let screen = ChatScreen(service, room: "lobby")
        let loop = Task { await screen.run() }

        await screen.send("hello", from: "ann")
        #expect(await server.next() == .text(#"{"name":"ann","text":"hello"}"#))

        server.drop()
        let connection = Task { await server.handshakes(atLeast: 2) }
        await clock.run(until: connection)
        await connection.value

        server.send(.text(#"{"name":"bob","text":"welcome back"}"#))
        screen.leave()
        await loop.value
        #expect(screen.lines == [Line(name: "bob", text: "welcome back")])
    }

    @Test @MainActor func problems() async {
        let server = StubWebSocket(subprotocol: "chat")
        var service = WebService.test(server)
        service.clock = ManualClock()
        let screen = ChatScreen(service, room: "lobby")
        let loop = Task { await screen.run() }
        await until { screen.isOnline }
        server.send(.text("nonsense"))
        await loop.value
        #expect(screen.problem != nil)
    }

    @Test @MainActor func cancelled() async {
        let server = StubWebSocket(subprotocol: "chat")
        var service = WebService.test(server)
        service.clock = ManualClock()
        let screen = ChatScreen(service, room: "lobby")
        let loop = Task { await screen.run() }
        await until { screen.isOnline }
        loop.cancel()
        await loop.value
        #expect(screen.problem == nil)
        #expect(await server.closeStatus?.code == .goingAway)
        await screen.send("late", from: "ann")
        #expect(screen.problem != nil)
    }
}
