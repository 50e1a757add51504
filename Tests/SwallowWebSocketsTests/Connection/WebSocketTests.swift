#if os(Linux) && canImport(Glibc)
    import Foundation
    import FoundationNetworking
    import LoopbackServer
    import Swallow
    import SwallowTesting
    import TestSupport
    import Testing
    import WebSocketServer

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
            await until { socket.state == .closing }
            try await clock.pending(atLeast: 1)
            clock.advance(by: .seconds(5))
            #expect(await socket.closeStatus?.code == .abnormal)
            await server.connectionsClosed()
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
