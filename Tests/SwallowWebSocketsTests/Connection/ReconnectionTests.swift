import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

@testable import SwallowWebSockets

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A WebSocket that reconnects")
struct ReconnectionTests {
    private let server = StubWebSocket()
    private let clock = ManualClock()
    private var service: WebService {
        var service = WebService.test(server)
        service.clock = clock
        return service
    }
    private var settings: WebSocket.Settings {
        var settings = WebSocket.Settings()
        settings.reconnects = true
        return settings
    }

    /// Waits until the next handshake is scheduled, and lets its time come.
    private func reconnect() async throws {
        try await clock.pending(atLeast: 1)
        clock.advance(by: .seconds(60))
    }

    @Test("After a lost connection, a new handshake follows, and the loop continues")
    @MainActor func continues() async throws {
        let handshakes = Recorder<String>()
        var service = service
        service.log = { event in
            if case .requestSent(let request) = event { handshakes.append(request.url) }
        }
        let count = Recorder<Int>()
        service.configure {
            $0.headers["X-App"] = "chat"
            $0.adaptRequest { request in
                count.append(1)
                request.setValue("\(count.values.count)", forHTTPHeaderField: "X-Handshake")
            }
        }
        let socket = service.webSocket("/feed", settings: settings)
        server.send(.text("1"))
        var messages = socket.messages.makeAsyncIterator()
        #expect(try await messages.next() == .text("1"))
        await until { socket.state == .open }
        let first = try #require(server.request)

        server.drop()
        try await clock.pending(atLeast: 1)
        await until { socket.state == .connecting }
        clock.advance(by: .seconds(2.9))
        #expect(clock.pending == 1)
        clock.advance(by: .seconds(60))
        await server.handshakes(atLeast: 2)
        await until { socket.state == .open }
        let second = try #require(server.request)
        let key = { (request: URLRequest) in request.value(forHTTPHeaderField: "Sec-WebSocket-Key") }
        #expect(key(first) != key(second))
        #expect(first.value(forHTTPHeaderField: "X-Handshake") == "1")
        #expect(second.value(forHTTPHeaderField: "X-Handshake") == "2")
        #expect(second.value(forHTTPHeaderField: "X-App") == "chat")
        #expect(handshakes.values.count == 2 && handshakes.values[0] == handshakes.values[1])

        server.send(.text("2"))
        #expect(try await messages.next() == .text("2"))
        try await socket.send(.text("3"))
        #expect(await server.next() == .text("3"))
    }

    @Test("Messages that arrived before the connection was lost are delivered first")
    func unreadMessages() async throws {
        let socket = service.webSocket("/feed", settings: settings)
        _ = try await socket.head
        server.send(.text("1"))
        server.send(.text("2"))
        server.drop()
        try await reconnect()
        server.send(.text("3"))
        var messages = socket.messages.makeAsyncIterator()
        for number in 1...3 { #expect(try await messages.next() == .text("\(number)")) }
    }

    @Test(
        "A close frame with which the server leaves or reports a temporary problem reconnects",
        arguments: [1001, 1011, 1012, 1013, 1014] as [UInt16])
    func temporaryClose(code: UInt16) async throws {
        let socket = service.webSocket("/feed", settings: settings)
        _ = try await socket.head
        server.close(WebSocket.CloseCode(rawValue: code))
        try await reconnect()
        server.send(.text("again"))
        var messages = socket.messages.makeAsyncIterator()
        #expect(try await messages.next() == .text("again"))
    }

    @Test(
        "Any other close frame ends the WebSocket",
        arguments: [1000, 1002, 1003, 1007, 1008, 1009, 3000, 4000] as [UInt16])
    func lastingClose(code: UInt16) async throws {
        let socket = service.webSocket("/feed", settings: settings)
        _ = try await socket.head
        server.close(WebSocket.CloseCode(rawValue: code), reason: "over")
        let closeStatus = WebSocket.CloseStatus(code: WebSocket.CloseCode(rawValue: code), reason: "over")
        #expect(await socket.closeStatus == closeStatus)
        if code == 1000 {
            for try await _ in socket.messages {}
        } else {
            let error = await #expect(throws: ServiceError.self) {
                for try await _ in socket.messages {}
            }
            #expect(error?.underlying as? WebSocket.CloseStatus == closeStatus)
        }
    }

    @Test("A violation of the protocol ends the WebSocket")
    func violation() async throws {
        var settings = settings
        settings.maximumMessageSize = 10
        let socket = service.webSocket("/feed", settings: settings)
        server.send(.text("01234567890"))
        #expect(await socket.closeStatus?.code == .messageTooBig)
    }

    @Test("A missing pong reconnects")
    func missingPong() async throws {
        let server = StubWebSocket(sendsPongs: false)
        var service = WebService.test(server)
        service.clock = clock
        var settings = settings
        settings.pingInterval = .seconds(30)
        let socket = service.webSocket("/feed", settings: settings)
        try await clock.pending(atLeast: 1)
        clock.advance(by: .seconds(30))
        await server.pings(atLeast: 1)
        try await clock.pending(atLeast: 1)
        clock.advance(by: .seconds(10))
        try await reconnect()
        await server.handshakes(atLeast: 2)
        server.send(.text("again"))
        var messages = socket.messages.makeAsyncIterator()
        #expect(try await messages.next() == .text("again"))
    }

    @Test("A send that waits uses the next connection, after the first messages of that connection")
    func waitingSend() async throws {
        let count = Recorder<Int>()
        var settings = settings
        settings.firstMessages = {
            count.append(1)
            return [.text("subscribe \(count.values.count)")]
        }
        let socket = service.webSocket("/feed", settings: settings)
        try await socket.send(.text("a"))
        #expect(await server.next() == .text("subscribe 1"))
        #expect(await server.next() == .text("a"))
        server.drop()
        try await clock.pending(atLeast: 1)
        let sender = Task { try await socket.send(.text("b")) }
        clock.advance(by: .seconds(60))
        await server.handshakes(atLeast: 2)
        #expect(await server.next() == .text("subscribe 2"))
        #expect(await server.next() == .text("b"))
        try await sender.value
    }

    @Test("A send that waits for the next connection ends when its Swift task is cancelled")
    func cancelledSend() async throws {
        let socket = service.webSocket("/feed", settings: settings)
        _ = try await socket.head
        server.drop()
        try await clock.pending(atLeast: 1)
        let sender = Task { try await socket.send(.text("late")) }
        sender.cancel()
        let error = await #expect(throws: ServiceError.self) { try await sender.value }
        #expect(error?.isCancelled == true)
    }

    @Test("Between two connections, closing the WebSocket ends it and a send that waits")
    func closeWhileWaiting() async throws {
        let socket = service.webSocket("/feed", settings: settings)
        _ = try await socket.head
        server.drop()
        try await clock.pending(atLeast: 1)
        let sender = Task { try await socket.send(.text("late")) }
        socket.close()
        #expect(await socket.closeStatus?.code == .abnormal)
        let error = await #expect(throws: ServiceError.self) { try await sender.value }
        #expect(error?.reason == .invalidRequest)
        for try await _ in socket.messages {}
        await until { clock.pending == 0 }
    }

    @Test(
        "Between two connections, the release of a WebSocket, and the cancellation of its reader, end it",
        arguments: [true, false])
    func abandonedWhileWaiting(isReleased: Bool) async throws {
        let socket = service.webSocket("/feed", settings: settings)
        _ = try await socket.head
        server.drop()
        try await clock.pending(atLeast: 1)
        if isReleased {
            _ = consume socket
        } else {
            let reader = Task { for try await _ in socket.messages {} }
            reader.cancel()
            let error = await #expect(throws: ServiceError.self) { try await reader.value }
            #expect(error?.isCancelled == true)
        }
        // Neither the next handshake nor the timeout of the close is scheduled.
        await until { clock.pending == 0 }
    }

    @Test("A WebSocket doesn't reconnect by default")
    func isOffByDefault() async throws {
        let socket = service.webSocket("/feed")
        _ = try await socket.head
        server.drop()
        #expect(await socket.closeStatus?.code == .abnormal)
    }
}

#if os(Linux) && canImport(Glibc)
    import LoopbackServer
    import WebSocketServer

    extension ReconnectionTests {
        @Test("A rejected handshake is sent again after a temporary status, and after its Retry-After field")
        func rejected() async throws {
            let rejections = Recorder<Int>()
            let server = try LoopbackServer.webSockets(rejecting: { _ in
                rejections.append(1)
                return rejections.values.count == 1
                    ? .text("full", status: 503, headers: ["Retry-After": "20"]) : nil
            }) { $0.echo() }
            var service = WebService.socketTest(server)
            service.clock = clock
            let socket = service.webSocket("/feed", settings: settings)
            let sender = Task { try await socket.send(.text("hello")) }
            try await clock.pending(atLeast: 1)
            clock.advance(by: .seconds(19.9))
            #expect(clock.pending == 1)
            clock.advance(by: .seconds(40))
            var messages = socket.messages.makeAsyncIterator()
            #expect(try await messages.next() == .text("hello"))
            try await sender.value
        }

        @Test("A handshake that the server rejects for good ends the WebSocket")
        func rejectedForGood() async throws {
            let server = try LoopbackServer.webSockets(rejecting: { _ in .text("no", status: 403) }) { _ in }
            var service = WebService.socketTest(server)
            service.clock = clock
            let socket = service.webSocket("/feed", settings: settings)
            let error = await #expect(throws: ServiceError.self) { for try await _ in socket.messages {} }
            #expect(error?.statusCode == 403)
        }

        @Test("A token that expired between two connections is refreshed")
        func tokenRefresh() async throws {
            let handshakes = Recorder<String>()
            let server = try LoopbackServer.webSockets(rejecting: { request in
                handshakes.append(request.header("Authorization") ?? "")
                let isExpired = handshakes.values == ["Bearer old", "Bearer old"]
                return isExpired ? .text("who?", status: 401) : nil
            }) { socket in
                if handshakes.values.count == 1 { socket.reset() } else { socket.echo() }
            }
            var service = WebService.socketTest(server)
            service.clock = clock
            let authenticator = TokenAuthenticator(identity: "me", token: .init("old")) { _ in .init("new") }
            service.configure { $0.authenticator = authenticator }
            let socket = service.webSocket("/feed", settings: settings)
            try await reconnect()
            try await socket.send(.text("hello"))
            var messages = socket.messages.makeAsyncIterator()
            #expect(try await messages.next() == .text("hello"))
            #expect(handshakes.values == ["Bearer old", "Bearer old", "Bearer new"])
        }

        @Test("Messages in the queue of a lost connection are dropped, and later ones are sent in order")
        func queuedMessages() async throws {
            let count = 30
            let loss = DispatchSemaphore(value: 0)
            let received = Recorder<UInt8>()
            let connections = Recorder<Int>()
            let server = try LoopbackServer.webSockets { socket in
                connections.append(1)
                if connections.values.count == 1 {
                    // The first connection is lost before the server has read a message.
                    loss.wait()
                    return socket.reset()
                }
                while let event = socket.next() {
                    if case .binary(let bytes) = event { received.append(bytes[0]) }
                }
            }
            var service = WebService.socketTest(server)
            service.clock = clock
            let socket = service.webSocket("/feed", settings: settings)
            let sent = Recorder<Int>()
            let sender = Task {
                for number in 0..<count {
                    try await socket.send(.binary(Data(repeating: UInt8(number), count: 1_000_000)))
                    sent.append(number)
                }
            }
            _ = await sent.first(1)
            loss.signal()
            try await reconnect()
            try await sender.value
            socket.close()
            await server.connectionsClosed()
            let numbers = received.values.map { Int($0) }
            let first = try #require(numbers.first)
            #expect(first > 0 && numbers == Array(first..<count))
        }
    }
#endif
