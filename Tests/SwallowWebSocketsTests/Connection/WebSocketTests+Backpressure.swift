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

        @Test("If the queue is full, a send waits until the server reads")
        @MainActor func slowServer() async throws {
            let count = 1000
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
            let link = try #require(socket.core.state.withLock { $0.link } as? TunnelLink)
            let sent = Recorder<Int>()
            let sender = Task {
                for number in 0..<count {
                    try await socket.send(.binary(Data(repeating: 1, count: 100_000)))
                    sent.append(number)
                }
            }
            var (queued, sentBytes, turns) = (0, 0, 0)
            // A sender also waits for a moment before an idle writer takes the output. So the test waits until the
            // writer has sent something, and then nothing for many turns.
            await until {
                let (isWaiting, newSentBytes) = link.state.withLock { state in
                    queued = state.machine.output.count
                    return (!state.waiters.isEmpty, state.sentByteCount)
                }
                turns = isWaiting && newSentBytes == sentBytes && sentBytes > 1_000_000 ? turns + 1 : 0
                sentBytes = newSentBytes
                return turns == 1000 || sent.values.count == count
            }
            // 100 MB would be sent. The kernel's buffers hold several megabytes.
            #expect(sent.values.count < count)
            #expect((TunnelLink.capacity..<TunnelLink.capacity + 100_100).contains(queued))
            gate.signal()
            try await sender.value
            socket.close()
            await server.connectionsClosed()
            #expect(bytes.values.count == count)
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
            while await !clock.run(until: reader) {}
            let error = await #expect(throws: ServiceError.self) { try await reader.value }
            #expect(error?.reason == .timedOut)
        }
    }
#endif
