#if os(Linux) && canImport(Glibc)
    import Foundation
    import FoundationNetworking
    import LoopbackServer
    import Swallow
    import SwallowTesting
    import TestSupport
    import Testing

    @testable import SwallowWebSockets

    @Suite("WebSockets over libcurl")
    struct WebSocketTests {
        @Test(
            "Messages of each kind and size are echoed", arguments: [0, 1, 125, 126, 65535, 65536, 3_000_000])
        func echo(size: Int) async throws {
            let server = try LoopbackServer.webSockets { $0.echo() }
            let socket = WebService.socketTest(server).webSocket("/feed")
            let text = String(repeating: "x", count: size)
            let data = Data(repeating: 0xFE, count: size)
            try await socket.send(.text(text))
            try await socket.send(.binary(data))
            var messages = socket.messages.makeAsyncIterator()
            let (first, second) = (try await messages.next(), try await messages.next())
            #expect(first == .text(text) && second == .binary(data))
            socket.close()
            #expect(try await messages.next() == nil)
            #expect(await socket.closeStatus == WebSocket.CloseStatus(code: .normal))
        }

        @Test("The handshake is a request of the service")
        func handshakeRequest() async throws {
            let server = try LoopbackServer.webSockets(extraHeaders: [("Set-Cookie", "seen=1")]) { $0.echo() }
            var service = WebService.socketTest(server, path: "/v1")
            service.configure {
                $0.headers["X-App"] = "chat"
                $0.acceptableContentTypes = ["application/json"]
            }
            let socket = service.webSocket(
                "/feed", protocols: ["v1", "v2"], parameters: ["room": 7], options: [.header("X-Call", "1")])
            let head = try await socket.head
            #expect(head.statusCode == 101 && socket.subprotocol == "v2")
            let request = await server.request(at: 0)
            #expect(request.target == "/v1/feed?room=7")
            #expect(request.header("X-App") == "chat" && request.header("X-Call") == "1")
            #expect(request.header("Transfer-Encoding") == nil && request.header("Expect") == nil)
            let next = service.webSocket("/feed")
            _ = try await next.head
            #expect(await server.request(at: 1).header("Cookie") == "seen=1")
        }

        @Test("A rejected handshake is an error with the status and the body")
        func rejected() async throws {
            let server = try LoopbackServer.webSockets(rejecting: { _ in .text("full", status: 503) }) { _ in
            }
            let socket = WebService.socketTest(server).webSocket("/feed")
            for operation in [
                { _ = try await socket.head }, { try await socket.send(.text("late")) },
                { for try await _ in socket.messages {} },
            ] as [@Sendable () async throws -> Void] {
                let error = await #expect(throws: ServiceError.self) { try await operation() }
                #expect(error?.reason == .unacceptableStatus && error?.statusCode == 503)
                #expect(error?.text == "full")
            }
        }

        @Test("A success that isn't an upgrade is an error")
        func notUpgraded() async throws {
            let server = try LoopbackServer.webSockets(rejecting: { _ in .text("page") }) { _ in }
            let socket = WebService.socketTest(server).webSocket("/feed")
            let error = await #expect(throws: ServiceError.self) { try await socket.head }
            #expect(error?.reason == .unacceptableStatus && error?.statusCode == 200)
        }

        @Test("A token is refreshed once, and the handshake is sent again")
        func tokenRefresh() async throws {
            let server = try LoopbackServer.webSockets(rejecting: { request in
                request.header("Authorization") == "Bearer new" ? nil : .text("who?", status: 401)
            }) { $0.echo() }
            var service = WebService.socketTest(server)
            let authenticator = TokenAuthenticator(identity: "me", token: .init("old")) { _ in .init("new") }
            service.configure { $0.authenticator = authenticator }
            let socket = service.webSocket("/feed")
            try await socket.send(.text("hello"))
            var messages = socket.messages.makeAsyncIterator()
            #expect(try await messages.next() == .text("hello"))
            #expect(server.requests.count == 2)
        }

        @Test("Redirects are followed, also to another origin")
        func redirects() async throws {
            let target = try LoopbackServer.webSockets { $0.echo() }
            let location = target.baseURLString + "/there"
            let server = try LoopbackServer.webSockets(rejecting: { _ in .redirect(to: location) }) { _ in }
            let socket = WebService.socketTest(server).webSocket(
                "/feed", protocols: ["token.secret"], options: [.header("Authorization", "secret")])
            try await socket.send(.text("hello"))
            var messages = socket.messages.makeAsyncIterator()
            #expect(try await messages.next() == .text("hello"))
            let request = await target.request(at: 0)
            #expect(request.header("Authorization") == nil && request.header("Sec-WebSocket-Protocol") == nil)
        }

        @Test("A server that doesn't prove that it read the key is rejected")
        func wrongAccept() async throws {
            let server = try LoopbackServer { _ in
                .upgrade(
                    headers: [
                        ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", "no"),
                    ]
                ) { _ = $0.receive() }
            } _: { _ in
                .respond(.status(404))
            }
            let socket = WebService.socketTest(server).webSocket("/feed")
            let error = await #expect(throws: ServiceError.self) { try await socket.head }
            #expect(error?.reason == .invalidResponse)
            await server.connectionsClosed()
        }
    }

    // MARK: - The end

    extension WebSocketTests {
        @Test("The server's close frame ends the loop, or is its error", arguments: [1000, 1001, 1011, 4000])
        func closedByServer(code: UInt16) async throws {
            let server = try LoopbackServer.webSockets { socket in
                socket.send("last")
                socket.close(code, "done")
                #expect(socket.next() == .close(code: code, reason: ""))
            }
            let socket = WebService.socketTest(server).webSocket("/feed")
            let closeStatus = WebSocket.CloseStatus(code: WebSocket.CloseCode(rawValue: code), reason: "done")
            var messages = socket.messages.makeAsyncIterator()
            #expect(try await messages.next() == .text("last"))
            if code < 1002 {
                #expect(try await messages.next() == nil)
            } else {
                let error = await #expect(throws: ServiceError.self) { _ = try await messages.next() }
                #expect(error?.underlying as? WebSocket.CloseStatus == closeStatus)
            }
            #expect(await socket.closeStatus == closeStatus)
            await until { socket.state == .closed(closeStatus) }
            await #expect(throws: ServiceError.self) { try await socket.send(.text("late")) }
            await server.connectionsClosed()
        }

        @Test("The client's close frame follows the messages that were sent before")
        func closedByClient() async throws {
            let events = Recorder<WebSocketMachine.Event>()
            let server = try LoopbackServer.webSockets { socket in
                while let event = socket.next() { events.append(event) }
            }
            let socket = WebService.socketTest(server).webSocket("/feed")
            try await socket.send(.text("last"))
            socket.close(4001, reason: "bye")
            #expect(await socket.closeStatus == WebSocket.CloseStatus(code: 4001))
            await server.connectionsClosed()
            #expect(events.values == [.text("last"), .close(code: 4001, reason: "bye")])
        }

        @Test(
            "The release of a WebSocket, and the cancellation of its reader, close it with 1001",
            arguments: [true, false])
        func abandoned(isReleased: Bool) async throws {
            let events = Recorder<WebSocketMachine.Event>()
            let server = try LoopbackServer.webSockets { socket in
                while let event = socket.next() { events.append(event) }
            }
            let service = WebService.socketTest(server)
            if isReleased {
                let socket = service.webSocket("/feed")
                try await socket.send(.text("hello"))
                _ = consume socket
            } else {
                let socket = service.webSocket("/feed")
                let reader = Task { for try await _ in socket.messages {} }
                try await socket.send(.text("hello"))
                reader.cancel()
                let error = await #expect(throws: ServiceError.self) { try await reader.value }
                #expect(error?.isCancelled == true)
                #expect(await socket.closeStatus?.code == .goingAway)
            }
            await server.connectionsClosed()
            #expect(events.values == [.text("hello"), .close(code: 1001, reason: "")])
        }

        @Test("A connection that ends without a close frame is an error", arguments: [true, false])
        func lostConnection(isReset: Bool) async throws {
            let server = try LoopbackServer.webSockets { socket in
                socket.send("first")
                if isReset { socket.reset() }
                _ = socket.next()
            }
            let socket = WebService.socketTest(server).webSocket("/feed")
            var messages = socket.messages.makeAsyncIterator()
            #expect(try await messages.next() == .text("first"))
            try await socket.send(.text("end"))
            let error = await #expect(throws: ServiceError.self) { _ = try await messages.next() }
            #expect((error?.underlying as? URLError)?.code == .networkConnectionLost)
            #expect(await socket.closeStatus?.code == .abnormal)
        }

        @Test("A violation of the protocol closes the connection with a code")
        func violation() async throws {
            let events = Recorder<WebSocketMachine.Event>()
            let server = try LoopbackServer.webSockets { socket in
                _ = socket.send(raw: [0x83, 0x00])
                while let event = socket.next() { events.append(event) }
            }
            let socket = WebService.socketTest(server).webSocket("/feed")
            let error = await #expect(throws: ServiceError.self) { for try await _ in socket.messages {} }
            #expect(error?.reason == .invalidResponse)
            await server.connectionsClosed()
            let text = "a frame has the reserved opcode 3"
            #expect(events.values == [.close(code: 1002, reason: text)])
        }

        @Test("Closing before the handshake is answered drops the connection")
        func closedEarly() async throws {
            let server = try LoopbackServer(streams: { _ in .stall }) { _ in .stall }
            let socket = WebService.socketTest(server).webSocket("/feed")
            await server.connectionsAccepted(1)
            _ = await server.request(at: 0)
            socket.close()
            for try await _ in socket.messages {}
            await server.connectionsClosed()
        }

        @Test("A close completes after the close timeout, although nobody reads the messages")
        func closeWithUnreadMessages() async throws {
            let sent = Recorder<Int>()
            let server = try LoopbackServer.webSockets { socket in
                socket.send([UInt8](repeating: 7, count: 600_000))
                sent.append(1)
                while socket.receiveRaw() != nil {}
            }
            var service = WebService.socketTest(server)
            let clock = ManualClock()
            service.clock = clock
            let socket = service.webSocket("/feed")
            _ = try await socket.head
            _ = await sent.first(1)
            socket.close()
            try await clock.pending(atLeast: 1)
            clock.advance(by: .seconds(5))
            #expect(await socket.closeStatus?.code == .abnormal)
            await server.connectionsClosed()
        }

        @Test("A server that doesn't answer the close frame is left after the close timeout")
        func closeTimeout() async throws {
            let server = try LoopbackServer.webSockets { socket in
                while socket.receiveRaw() != nil {}
            }
            var service = WebService.socketTest(server)
            let clock = ManualClock()
            service.clock = clock
            let socket = service.webSocket("/feed")
            _ = try await socket.head
            socket.close()
            try await clock.pending(atLeast: 1)
            clock.advance(by: .seconds(5))
            #expect(await socket.closeStatus?.code == .abnormal)
            await server.connectionsClosed()
        }
    }

    // MARK: - Backpressure

    extension WebSocketTests {
        @Test("If nobody reads, the server can't send more than the buffers hold")
        func slowReader() async throws {
            let count = 4000
            let sent = Recorder<Int>()
            let server = try LoopbackServer.webSockets { socket in
                let message = [UInt8](repeating: 7, count: 10_000)
                for number in 0..<count {
                    socket.send(message)
                    sent.append(number)
                }
                socket.close(1000)
                while socket.next() != nil {}
            }
            let socket = WebService.socketTest(server).webSocket("/feed")
            _ = try await socket.head
            var messages = socket.messages.makeAsyncIterator()
            _ = try await messages.next()
            // The app can send while it doesn't read.
            for _ in 0..<10 { try await socket.send(.text("still here")) }
            var received = 1
            var lead = 0
            while try await messages.next() != nil {
                received += 1
                if received % 100 == 0 { lead = max(lead, sent.values.count - received) }
            }
            #expect(received == count)
            // 40 MB were sent. The kernel's buffers hold several megabytes.
            #expect(lead < 2000)
        }

        @Test("A send waits while the server doesn't read, and continues when it does")
        func slowServer() async throws {
            let gate = DispatchSemaphore(value: 0)
            let bytes = Recorder<Int>()
            let server = try LoopbackServer.webSockets { socket in
                gate.wait()
                while let event = socket.next() {
                    if case .binary(let data) = event { bytes.append(data.count) }
                }
            }
            let socket = WebService.socketTest(server).webSocket("/feed")
            _ = try await socket.head
            let sent = Recorder<Int>()
            let sender = Task {
                for number in 0..<600 {
                    try await socket.send(.binary(Data(repeating: 1, count: 100_000)))
                    sent.append(number)
                }
            }
            _ = await sent.first(3)
            gate.signal()
            try await sender.value
            socket.close()
            await server.connectionsClosed()
            #expect(bytes.values.count == 600)
        }

        @Test(
            "A waiting send ends when its Swift task is cancelled, and when the WebSocket is closed",
            arguments: [true, false])
        func waitingSend(isCancelled: Bool) async throws {
            let gate = DispatchSemaphore(value: 0)
            let server = try LoopbackServer.webSockets { _ in gate.wait() }
            defer { gate.signal() }
            let clock = ManualClock()
            var service = WebService.socketTest(server)
            service.clock = clock
            let socket = service.webSocket("/feed")
            let sender = Task {
                while true { try await socket.send(.binary(Data(repeating: 1, count: 1_000_000))) }
            }
            _ = try await socket.head
            if isCancelled { sender.cancel() } else { socket.close() }
            let error = await #expect(throws: ServiceError.self) { try await sender.value }
            #expect(error?.reason == (isCancelled ? .cancelled : .invalidRequest))
        }
    }

    // MARK: - Pings behind a long message

    extension WebSocketTests {
        private static let longMessage = WebSocket.Message.binary(Data(repeating: 1, count: 40_000_000))

        private func socket(_ server: LoopbackServer, _ clock: ManualClock) -> WebSocket {
            var service = WebService.socketTest(server)
            service.clock = clock
            var settings = WebSocket.Settings()
            settings.pingInterval = .seconds(30)
            return service.webSocket("/feed", settings: settings)
        }

        @Test("While a long message is sent, the ping behind it has more time")
        func pingBehindMessage() async throws {
            let (reads, answers) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let received = Recorder<Int>()
            let server = try LoopbackServer.webSockets { socket in
                reads.wait()
                var count = 0
                while count < 20_000_000, let bytes = socket.receiveRaw() { count += bytes.count }
                received.append(count)
                answers.wait()
                while count < 40_000_000, let bytes = socket.receiveRaw() { count += bytes.count }
                socket.send("received")
                _ = socket.receiveRaw()
            }
            let clock = ManualClock()
            let socket = socket(server, clock)
            try await socket.send(Self.longMessage)
            try await clock.pending(atLeast: 1)
            clock.advance(by: .seconds(30))
            // The timeout of the pong.
            try await clock.pending(atLeast: 1)
            reads.signal()
            _ = await received.first(1)
            clock.advance(by: .seconds(10))
            try await clock.pending(atLeast: 1)
            answers.signal()
            var messages = socket.messages.makeAsyncIterator()
            #expect(try await messages.next() == .text("received"))
        }

        @Test("If a long message stands still, the WebSocket fails although its ping wasn't sent")
        func stalledMessage() async throws {
            let gate = DispatchSemaphore(value: 0)
            let server = try LoopbackServer.webSockets { _ in gate.wait() }
            defer { gate.signal() }
            let clock = ManualClock()
            let socket = socket(server, clock)
            try await socket.send(Self.longMessage)
            let reader = Task { for try await _ in socket.messages {} }
            #expect(await clock.run(until: reader))
            let error = await #expect(throws: ServiceError.self) { try await reader.value }
            #expect(error?.reason == .timedOut)
        }
    }

    // MARK: - The Autobahn suite's cases

    extension WebSocketTests {
        @Test(
            "Over a socket, the client answers each case as the suite expects",
            arguments: ConformanceSection.allCases)
        func conformance(_ section: ConformanceSection) async throws {
            let cases = section.cases
            let answers = Recorder<[UInt8]>()
            let server = try LoopbackServer.webSockets { socket in
                let index = socket.request.queryItems.first.flatMap { Int($0.value) } ?? 0
                var answer: [UInt8] = []
                // The state machine knows how many bytes answer a frame. The next frame waits for them.
                var model = EchoClient()
                for frame in cases[index].sent {
                    guard socket.send(raw: frame.bytes) else { break }
                    model.receive(frame.bytes)
                    while answer.count < model.sent.count, let more = socket.receiveRaw() { answer += more }
                }
                answers.append(answer)
            }
            let service = WebService.socketTest(server)
            for (index, test) in cases.enumerated() {
                let socket = service.webSocket("/case", parameters: ["index": index])
                do {
                    for try await message in socket.messages { try await socket.send(message) }
                } catch {}
                _ = await answers.first(index + 1)
                let sent = try TestFrame.frames(in: answers.values[index])
                #expect(sent == test.expected, "case \(test.id)")
            }
        }
    }
#endif
