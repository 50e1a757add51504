import Foundation
import Observation
import Swallow
import SwallowTesting
import TestSupport
import Testing

@testable import SwallowWebSockets

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("WebSockets with a stub")
struct StubWebSocketTests {
    private struct Update: Codable, Sendable, Equatable {
        let id: Int
    }

    private let server = StubWebSocket(subprotocol: "v2")
    /// Its clock stands still, because the close timeout could pass on a busy machine before a close frame is sent.
    private var service: WebService {
        var service = WebService.test(server)
        service.clock = ManualClock()
        return service
    }

    @Test("Messages go both ways, and messages sent before the handshake wait")
    func bothWays() async throws {
        server.send(.text("early"))
        let socket = service.webSocket("/feed", protocols: ["v2"])
        try await socket.send(.text("hello"))
        try await socket.send(json: Update(id: 3))
        #expect(await server.next() == .text("hello"))
        #expect(await server.next() == .text(#"{"id":3}"#))
        server.send(.binary(Data([1, 2])))
        var messages = socket.messages.makeAsyncIterator()
        #expect(try await messages.next() == .text("early"))
        #expect(try await messages.next() == .binary(Data([1, 2])))
        #expect(socket.subprotocol == "v2")
        #expect(server.request?.url?.path == "/feed")
    }

    @Test("The state follows the connection")
    @MainActor func state() async throws {
        let socket = service.webSocket("/feed", protocols: ["v2"])
        #expect(socket.state == .connecting)
        await until { socket.state == .open }
        server.close(4000, reason: "moved")
        let closeStatus = WebSocket.CloseStatus(code: 4000, reason: "moved")
        await until { socket.state == .closed(closeStatus) }
        #expect(await server.closeStatus?.code == 4000)
    }

    @Test("Swift's Observation tracks the state")
    @MainActor func observation() async throws {
        let socket = service.webSocket("/feed", protocols: ["v2"])
        func change() -> Event {
            let change = Event()
            withObservationTracking {
                _ = socket.state
            } onChange: {
                change.happen()
            }
            return change
        }
        await change().wait()
        await until { socket.state == .open }
        let end = change()
        server.close(4001)
        await end.wait()
        await until { socket.state == .closed(WebSocket.CloseStatus(code: 4001)) }
    }

    @Test("Messages are decoded, and a message that can't be decoded leaves the WebSocket open")
    func decoded() async throws {
        let socket = service.webSocket("/feed", protocols: ["v2"])
        server.send(.text(#"{"id":1}"#))
        server.send(.text("nonsense"))
        server.send(.binary(Data(#"{"id":2}"#.utf8)))
        var updates = socket.messages(as: Update.self).makeAsyncIterator()
        #expect(try await updates.next() == Update(id: 1))
        let error = await #expect(throws: ServiceError.self) { _ = try await updates.next() }
        #expect(error?.reason == .unparsable)
        #expect(try await updates.next() == Update(id: 2))
    }

    @Test("Handlers run in order, and an error of a handler is passed to the error handlers")
    func handlers() async throws {
        let (calls, errors) = (Recorder<String>(), Recorder<ServiceError>())
        let queue = DispatchQueue(label: "handlers")
        service.webSocket("/feed", protocols: ["v2"])
            .responseMessage(queue) { (update: Update) in calls.append("first \(update.id)") }
            .responseMessage(queue) { (message: WebSocket.Message) in calls.append("second") }
            .responseError(queue) { error in errors.append(error) }
        server.send(.text(#"{"id":1}"#))
        server.send(.text("nonsense"))
        server.send(.text(#"{"id":2}"#))
        #expect(await calls.first(4) == ["first 1", "second", "first 2", "second"])
        server.close(1011)
        let reasons = await errors.first(2).map(\.reason)
        #expect(reasons.first == .unparsable && reasons.count == 2)
        #expect((errors.values.last?.underlying as? WebSocket.CloseStatus)?.code == .internalError)
    }

    @Test("Handlers run on the main actor by default")
    @MainActor func mainActorHandlers() async throws {
        var updates: [Int] = []
        service.webSocket("/feed", protocols: ["v2"])
            .responseMessage { (update: Update) in updates.append(update.id) }
        server.send(.text(#"{"id":1}"#))
        await until { updates == [1] }
    }

    @Test("A ping whose pong doesn't arrive in time ends the WebSocket")
    func missingPong() async throws {
        let silent = StubWebSocket(sendsPongs: false)
        var service = WebService.test(silent)
        let clock = ManualClock()
        service.clock = clock
        var settings = WebSocket.Settings()
        settings.pingInterval = .seconds(30)
        let socket = service.webSocket("/feed", settings: settings)
        try await clock.pending(atLeast: 1)
        clock.advance(by: .seconds(30))
        await silent.pings(atLeast: 1)
        try await clock.pending(atLeast: 1)
        clock.advance(by: .seconds(10))
        let error = await #expect(throws: ServiceError.self) { for try await _ in socket.messages {} }
        #expect(error?.reason == .timedOut)
        #expect(await socket.closeStatus?.code == .abnormal)
    }

    @Test("Pings that are answered keep the WebSocket open")
    func answeredPings() async throws {
        var service = service
        let clock = ManualClock()
        service.clock = clock
        var settings = WebSocket.Settings()
        settings.pingInterval = .seconds(30)
        let socket = service.webSocket("/feed", protocols: ["v2"], settings: settings)
        for count in 1...3 {
            try await clock.pending(atLeast: 1)
            clock.advance(by: .seconds(count == 1 ? 30 : 20))
            await server.pings(atLeast: count)
            // The server's message follows its pong.
            server.send(.text("\(count)"))
            var messages = socket.messages.makeAsyncIterator()
            #expect(try await messages.next() == .text("\(count)"))
            try await clock.pending(atLeast: 1)
            clock.advance(by: .seconds(10))
        }
        try await socket.send(.text("open"))
        #expect(await server.next() == .text("open"))
    }

    @Test("The text of a close status's error contains the reason once")
    func closeStatusText() async throws {
        server.close(4001, reason: "signed out")
        let messages = service.webSocket("/feed", protocols: ["v2"]).messages
        let error = try #require(
            await #expect(throws: ServiceError.self) { for try await _ in messages {} })
        #expect("\(error)".components(separatedBy: "signed out").count == 2)
    }

    @Test("The stub's waiting functions return when their Swift task is cancelled")
    func cancelledWaits() async {
        let server = server
        let waits: [@Sendable () async -> Bool] = [
            { await server.next() == nil }, { await server.closeStatus == nil },
            {
                await server.pings(atLeast: 1)
                await server.handshakes(atLeast: 1)
                return true
            },
        ]
        for wait in waits {
            let task = Task { await wait() }
            task.cancel()
            #expect(await task.value)
        }
    }

    @Test("A stub accepts one WebSocket after another, and messages between them wait")
    func secondConnection() async throws {
        let first = service.webSocket("/feed", protocols: ["v2"])
        try await first.send(.text("1"))
        #expect(await server.next() == .text("1"))
        server.drop()
        #expect(await server.next() == nil)
        #expect(await server.closeStatus?.code == .abnormal)
        server.send(.text("2"))
        let second = service.webSocket("/feed", protocols: ["v2"])
        await server.handshakes(atLeast: 2)
        var messages = second.messages.makeAsyncIterator()
        #expect(try await messages.next() == .text("2"))
        second.close()
        #expect(await server.closeStatus?.code == .normal)
    }

    @Test("A message that is larger than the limit closes with 1009")
    func tooLarge() async throws {
        var settings = WebSocket.Settings()
        settings.maximumMessageSize = 10
        let socket = service.webSocket("/feed", protocols: ["v2"], settings: settings)
        server.send(.text("0123456789"))
        server.send(.text("01234567890"))
        var messages = socket.messages.makeAsyncIterator()
        #expect(try await messages.next() == .text("0123456789"))
        let error = await #expect(throws: ServiceError.self) { _ = try await messages.next() }
        #expect((error?.underlying as? WebSocket.CloseStatus)?.code == .messageTooBig)
        #expect(await server.closeStatus?.code == .messageTooBig)
    }

    @Test("A dropped connection is an error")
    func dropped() async throws {
        let socket = service.webSocket("/feed", protocols: ["v2"])
        _ = try await socket.head
        server.drop()
        let error = await #expect(throws: ServiceError.self) { for try await _ in socket.messages {} }
        #expect((error?.underlying as? URLError)?.code == .networkConnectionLost)
    }

    @Test("Two loops can't read at the same time, but one after the other")
    func twoReaders() async throws {
        let socket = service.webSocket("/feed", protocols: ["v2"])
        server.send(.text("1"))
        for try await message in socket.messages {
            #expect(message == .text("1"))
            break
        }
        let first = Task { try await socket.messages.first { _ in true } }
        let second = Task { try await socket.messages.first { _ in true } }
        let results = Recorder<Bool>()
        for task in [first, second] {
            Task { results.append((try? await task.value) != nil) }
        }
        // The loop that comes second fails at once.
        #expect(await results.first(1) == [false])
        server.send(.text("2"))
        #expect(await results.first(2) == [false, true])
    }

    @Test("A stubbed response rejects the handshake")
    func rejectedByStub() async throws {
        let stub = StubDataSource().stub(.GET, "/feed", .status(403))
        let socket = WebService.test(stub).webSocket("/feed")
        let error = await #expect(throws: ServiceError.self) { try await socket.head }
        #expect(error?.statusCode == 403)
    }

    @Test(
        "Paths and base URLs may begin with ws and wss",
        arguments: [
            ("wss://api.example.com/v1?key=1", "/feed", "https://api.example.com/v1/feed?key=1"),
            ("WS://api.example.com", "feed", "http://api.example.com/feed"),
            ("https://api.example.com", "wss://api.example.org/feed?a=1", "https://api.example.org/feed?a=1"),
            ("https://api.example.com/v1", "ws://api.example.org", "http://api.example.org"),
            ("https://api.example.com", "/wss://feed", "https://api.example.com/wss://feed"),
        ])
    func schemes(base: String, path: String, url: String) async throws {
        let service = WebService(baseURLString: base, dataSource: server)
        _ = try await service.webSocket(Request.Path(path), protocols: ["v2"]).head
        #expect(server.request?.url?.absoluteString == url)
    }

    @Test("A path may be made from a wss URL")
    func schemeOfURL() async throws {
        let url = try #require(URL(string: "wss://api.example.org/feed"))
        _ = try await service.webSocket(Request.Path(url), protocols: ["v2"]).head
        #expect(server.request?.url?.absoluteString == "https://api.example.org/feed")
    }

    @Test("A service whose base URL begins with wss also configures and sends other requests")
    func schemeOfService() async throws {
        var service = WebService(baseURLString: "wss://api.example.com", dataSource: server)
        service.configure("/feed") { $0.headers["X-App"] = "chat" }
        _ = try await service.webSocket("/feed", protocols: ["v2"]).head
        #expect(server.request?.value(forHTTPHeaderField: "X-App") == "chat")
        service.dataSource = StubDataSource().stub(.GET, "/page", .text("page"))
        #expect(try await service.GET("/page").text == "page")
    }

    @Test("A segment that would change the structure of a wss URL is refused")
    func schemeWithProblem() async throws {
        let room = ".."
        let socket = service.webSocket("wss://api.example.org/rooms/\(room)/feed", protocols: ["v2"])
        let error = await #expect(throws: ServiceError.self) { try await socket.head }
        #expect(error?.reason == .invalidURL)
        #expect(server.request == nil)
    }

    @Test(
        "A subprotocol that isn't a token is refused before anything is sent",
        arguments: ["", "a b", "a,b", "ü"])
    func invalidSubprotocol(name: String) async throws {
        let socket = service.webSocket("/feed", protocols: [name])
        let error = await #expect(throws: ServiceError.self) { try await socket.head }
        #expect(error?.reason == .invalidRequest)
        #expect(server.request == nil)
    }

    @Test("A data source that can't open a tunnel fails")
    func otherDataSource() async throws {
        let socket = WebService.test(URLSession.shared).webSocket("/feed")
        let error = await #expect(throws: ServiceError.self) { try await socket.head }
        #expect(error?.reason == .invalidRequest)
    }

    @Test("An ordinary request to the stub fails")
    func ordinaryRequest() async throws {
        let error = await #expect(throws: ServiceError.self) { try await service.GET("/feed").data }
        #expect(error?.reason == .invalidRequest)
    }
}
