import Dispatch
import Foundation
import Swallow
import SwallowTesting
import SwallowWebSockets
import TestSupport
import Testing

struct Update: Codable, Sendable {
    let id: Int
    let text: String
}

func follow(_ service: WebService) async throws {
    let feed = service.webSocket("/feed", protocols: ["v2"])
    try await feed.send(.text("subscribe"))
    for try await update in feed.messages(as: Update.self) { show(update) }
}

private let shown = Recorder<Int>()
private func show(_ update: Update) { shown.append(update.id) }
private func show(_ message: WebSocket.Message) { shown.append(message.data.count) }

@MainActor func status(of feed: WebSocket) -> String {
    switch feed.state {
    case .connecting: "Connecting…"
    case .open: "Live"
    case .closing, .closed: "Offline"
    }
}

@MainActor private final class FeedScreen {
    var updates: [Update] = []
    var problem: String?

    func appear(_ service: WebService) {
        let feed = service.webSocket("/feed")
            .responseMessage { (update: Update) in self.updates.append(update) }
            .responseError { error in self.problem = error.userMessage }
        _ = feed
    }

    func follow(_ service: WebService, on queue: DispatchQueue) {
        service.webSocket("/feed")
            .responseMessage(queue) { (update: Update) in show(update) }
            .responseError { error in self.problem = error.userMessage }
    }
}

@Suite("The samples about WebSockets")
struct WebSocketSamples {
    private let server = StubWebSocket()
    private let service: WebService

    init() {
        var service = WebService.test(server)
        // The clock stands still, so that no timeout passes on a busy machine.
        service.clock = ManualClock()
        self.service = service
    }

    @Test func following() async throws {
        let server = StubWebSocket(subprotocol: "v2")
        let follower = Task { try await follow(.test(server)) }
        #expect(await server.next() == .text("subscribe"))
        server.send(.text(#"{"id":7,"text":"hello"}"#))
        server.close()
        try await follower.value
        #expect(shown.values.contains(7))
    }

    @Test func plainMessages() async throws {
        let server = StubWebSocket(subprotocol: "v2")
        let service = WebService.test(server)
        server.send(.text("12345"))
        server.close()
        let feed = service.webSocket("/feed", protocols: ["v2"])
        for try await message in feed.messages { show(message) }
        #expect(shown.values.contains(5))
    }

    @Test func inUse() async throws {
        let server = StubWebSocket(subprotocol: "v2")
        let service = WebService.test(server)
        server.send(.text(#"{"id":8,"text":"hello"}"#))
        Task {
            _ = await server.next()
            server.close()
        }
        let feed = service.webSocket("/feed", protocols: ["v2"])
        try await feed.send(.text("subscribe"))
        for try await update in feed.messages(as: Update.self) { show(update) }
        #expect(shown.values.contains(8))
    }

    @Test @MainActor func handlers() async {
        let screen = FeedScreen()
        screen.appear(service)
        server.send(.text(#"{"id":1,"text":"hello"}"#))
        await until { screen.updates.count == 1 }
        server.close(1011)
        await until { screen.problem != nil }
    }

    @Test func rejected() async {
        let service = WebService.test(StubDataSource().stub(.GET, "/feed", .status(403)))
        let feed = service.webSocket("/feed", options: [.timeout(.seconds(10))])
        do {
            _ = try await feed.head
        } catch {
            print(error.statusCode ?? 0, error.text ?? "")
        }
    }

    @Test func closing() async {
        let feed = service.webSocket("/feed")
        _ = try? await feed.head
        feed.close(.normal, reason: "done")
        let status = await feed.closeStatus
        #expect(status?.code == .normal)
    }

    @Test func closedByServer() async {
        var isSignedOut = false
        func signIn() { isSignedOut = true }
        server.close(4001)
        let feed = service.webSocket("/feed")
        do {
            for try await update in feed.messages(as: Update.self) { show(update) }
        } catch {
            let status = error.underlying as? WebSocket.CloseStatus
            if status?.code == 4001 { signIn() }
        }
        #expect(isSignedOut)
    }

    @Test @MainActor func shownState() async {
        let feed = service.webSocket("/feed")
        #expect(status(of: feed) == "Connecting…")
        await until { status(of: feed) == "Live" }
    }

    @Test func reconnecting() async throws {
        server.send(.text(#"{"id":9,"text":"hello"}"#))
        let subscription = Task {
            defer { server.close() }
            return await server.next()
        }
        var settings = WebSocket.Settings()
        settings.reconnects = true
        settings.firstMessages = { [.text("subscribe")] }
        let feed = service.webSocket("/feed", settings: settings)
        for try await update in feed.messages(as: Update.self) { show(update) }
        #expect(shown.values.contains(9))
        #expect(await subscription.value == .text("subscribe"))
    }

    @Test func pings() async throws {
        var settings = WebSocket.Settings()
        settings.pingInterval = .seconds(30)
        let feed = service.webSocket("/feed", settings: settings)
        _ = try await feed.head
    }

    @Test func subscribes() async throws {
        let server = StubWebSocket()
        let service = WebService(baseURLString: "https://api.example.com", dataSource: server)
        let feed = service.webSocket("/feed")

        try await feed.send(.text("subscribe"))
        #expect(await server.next() == .text("subscribe"))

        server.send(.text("welcome"))
        var messages = feed.messages.makeAsyncIterator()
        #expect(try await messages.next() == .text("welcome"))

        server.close(4001, reason: "signed out")
        #expect(await feed.closeStatus?.code == 4001)
    }

    @Test func comingFromStarscream() async throws {
        let server = StubWebSocket(subprotocol: "v2")
        let service = WebService(baseURLString: "wss://api.example.com")
        func connect(_ service: WebService) async throws {
            let feed = service.webSocket("/feed", protocols: ["v2"])
            try await feed.send(.text("subscribe"))
            for try await message in feed.messages { show(message) }
        }
        var stubbed = service
        stubbed.dataSource = server
        let loop = Task { [stubbed] in try await connect(stubbed) }
        #expect(await server.next() == .text("subscribe"))
        server.close()
        try await loop.value
    }

    @Test @MainActor func callsOfStarscream() async throws {
        let (text, data, update) = ("hello", Data([1]), Update(id: 1, text: "hello"))
        let queue = DispatchQueue(label: "feed")
        let token = "t"
        var service = service
        service.configure { $0.headers[.authorization] = "Bearer \(token)" }
        var settings = WebSocket.Settings()
        settings.reconnects = true
        settings.pingInterval = .seconds(30)
        settings.maximumMessageSize = 1_000_000
        settings.compresses = true
        let feed = service.webSocket("/feed", options: [.timeout(.seconds(10))], settings: settings)
        let head = try await feed.head
        #expect(head.statusCode == 101)
        try await feed.send(.text(text))
        try await feed.send(.binary(data))
        try await feed.send(json: update)
        #expect(await server.next() == .text("hello"))
        feed.close(.normal, reason: "done")

        let (screen, other) = (FeedScreen(), StubWebSocket())
        screen.follow(.test(other), on: queue)
        other.send(.text(#"{"id":10,"text":"hello"}"#))
        await until { shown.values.contains(10) }
    }
}
