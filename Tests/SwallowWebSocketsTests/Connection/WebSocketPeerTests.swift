#if os(Linux) && canImport(Glibc)
    import Foundation
    import Swallow
    import TestSupport
    import Testing

    @testable import SwallowWebSockets

    /// The servers of `.ci/websockets`.
    private enum Peers {
        static let plain = variable("SWALLOW_WEBSOCKETS")
        static let tls = variable("SWALLOW_WEBSOCKETS_TLS")
        static let authority = variable("SWALLOW_WEBSOCKETS_CA")
        static let pin = variable("SWALLOW_WEBSOCKETS_PIN")
        static let proxy = variable("SWALLOW_WEBSOCKETS_PROXY")
        static let cases = variable("SWALLOW_WEBSOCKETS_CASES")

        private static func variable(_ name: String) -> String {
            ProcessInfo.processInfo.environment[name] ?? ""
        }

        static func service(
            isSecure: Bool, throughProxy: Bool = false, trusts: Bool = true, pins: [String] = [],
            base: String? = nil
        ) -> WebService {
            var configuration = CurlDataSource.Configuration()
            configuration.proxy = throughProxy ? .url(proxy) : .none
            configuration.tls.pins = pins
            if trusts { configuration.tls.certificateAuthorityFile = authority }
            return .test(CurlDataSource(configuration: configuration), base: base ?? (isSecure ? tls : plain))
        }
    }

    @Suite("WebSockets with Python's websockets and nginx", .enabled(if: !Peers.plain.isEmpty))
    struct WebSocketPeerTests {
        @Test(
            "Messages are echoed with and without TLS, a proxy and compression",
            arguments: [false, true], [false, true])
        func echo(isSecure: Bool, throughProxy: Bool) async throws {
            let service = Peers.service(isSecure: isSecure, throughProxy: throughProxy)
            for compresses in [true, false] {
                var settings = WebSocket.Settings()
                settings.compresses = compresses
                let socket = service.webSocket("/feed", settings: settings)
                let head = try await socket.head
                #expect((head.value(forHTTPHeaderField: "Sec-WebSocket-Extensions") != nil) == compresses)
                var messages = socket.messages.makeAsyncIterator()
                for size in [0, 1, 125, 126, 65535, 65536, 1_000_000] {
                    let text = String(repeating: "ü", count: size)
                    try await socket.send(.text(text))
                    let answer = try await messages.next()
                    #expect(answer == .text(text))
                    let data = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* $0) })
                    try await socket.send(.binary(data))
                    let binary = try await messages.next()
                    #expect(binary == .binary(data))
                }
                socket.close(1000, reason: "done")
                #expect(try await messages.next() == nil)
                #expect(await socket.closeStatus?.code == .normal)
            }
        }

        @Test("The server's pings and close frame are answered", arguments: [false, true])
        func closedByServer(isSecure: Bool) async throws {
            let socket = Peers.service(isSecure: isSecure).webSocket("/feed")
            var messages = socket.messages.makeAsyncIterator()
            try await socket.send(.text("ping"))
            #expect(try await messages.next() == .text("ping"))
            try await socket.send(.text("close"))
            let error = await #expect(throws: ServiceError.self) { _ = try await messages.next() }
            #expect(
                error?.underlying as? WebSocket.CloseStatus
                    == WebSocket.CloseStatus(code: 4000, reason: "asked"))
        }

        @Test("Many messages are echoed in order while others are sent")
        func manyMessages() async throws {
            let socket = Peers.service(isSecure: true).webSocket("/feed")
            let sender = Task {
                for number in 0..<5000 { try await socket.send(.text("message \(number)")) }
            }
            var messages = socket.messages.makeAsyncIterator()
            for number in 0..<5000 {
                let message = try await messages.next()
                guard message == .text("message \(number)") else {
                    Issue.record("expected message \(number), got \(String(describing: message))")
                    break
                }
            }
            try await sender.value
        }

        @Test("nginx rejects a handshake with a status and a body")
        func rejected() async throws {
            let socket = Peers.service(isSecure: true).webSocket("/rejected")
            let error = await #expect(throws: ServiceError.self) { try await socket.head }
            #expect(error?.statusCode == 403 && error?.text == "not you")
        }

        @Test("A server that isn't trusted is rejected")
        func untrusted() async throws {
            let socket = Peers.service(isSecure: true, trusts: false).webSocket("/feed")
            let error = await #expect(throws: ServiceError.self) { try await socket.head }
            #expect((error?.underlying as? URLError)?.code == .serverCertificateUntrusted)
        }

        @Test("A server whose key isn't pinned is rejected", arguments: [false, true])
        func pins(throughProxy: Bool) async throws {
            let connect = { pins in
                Peers.service(isSecure: true, throughProxy: throughProxy, pins: pins).webSocket("/feed")
            }
            let other = Data(repeating: 7, count: 32).base64EncodedString()
            _ = try await connect([other, Peers.pin]).head
            let error = await #expect(throws: ServiceError.self) { try await connect([other]).head }
            #expect((error?.underlying as? URLError)?.code == .serverCertificateUntrusted)
        }
    }

    // MARK: - The Autobahn suite's sections 1 to 7

    extension ConformanceCase {
        fileprivate struct Step: Codable, Sendable {
            let frame: Data
            /// What the client has to send before the next frame.
            let byteCount, messageCount: Int
        }

        fileprivate var script: [Step] {
            var client = EchoClient()
            return sent.map { frame in
                client.receive(frame.bytes)
                let messageCount = client.events.filter(\.isMessage).count
                return Step(
                    frame: Data(frame.bytes), byteCount: client.sent.count, messageCount: messageCount)
            }
        }

        fileprivate var expectedMessages: [Data] {
            expected.filter { $0.opcode == 1 || $0.opcode == 2 }.map { Data($0.payload) }
        }

        fileprivate var expectedCode: Int {
            guard let payload = expected.last?.payload, payload.count >= 2 else { return 1005 }
            return Int(payload[0]) << 8 | Int(payload[1])
        }
    }

    extension WebSocketMachine.Event {
        fileprivate var isMessage: Bool {
            switch self {
            case .text, .binary: true
            case .ping, .pong, .close, .failure: false
            }
        }
    }

    private struct LibraryAnswer: Codable, Sendable {
        let messages: [Data]
        let code: Int
    }

    extension WebSocketPeerTests {
        /// Lets a peer play a case, echoes its messages, and returns what the peer has received.
        private func play(
            _ test: ConformanceCase, _ service: WebService, folder: String, storedBy store: WebService
        ) async throws -> ServiceTask {
            let name = UUID().uuidString
            _ = try await store.PUT("/scripts/\(name)", options: [.json(test.script)]).data
            var settings = WebSocket.Settings()
            settings.compresses = false
            let socket = service.webSocket("/\(folder)/\(name)", settings: settings)
            do {
                for try await message in socket.messages { try await socket.send(message) }
            } catch {}
            return store.GET("/answers/\(name)")
        }

        @Test(
            "Each case of the suite's sections 1 to 7 passes with a server that sends its bytes",
            arguments: [false, true], ConformanceSection.allCases)
        func conformance(isSecure: Bool, _ section: ConformanceSection) async throws {
            let service = Peers.service(isSecure: isSecure, base: isSecure ? Peers.tls : Peers.cases)
            for test in section.cases {
                let answer = try await play(test, service, folder: "cases", storedBy: service).data
                let sent = try TestFrame.frames(in: Array(answer))
                #expect(sent == test.expected, "case \(test.id)")
            }
        }

        @Test(
            "In each case of the suite's sections 1 to 7, Python's websockets accepts the client's frames",
            arguments: [false, true], ConformanceSection.allCases)
        func conformanceWithLibrary(isSecure: Bool, _ section: ConformanceSection) async throws {
            let service = Peers.service(isSecure: isSecure)
            let store = isSecure ? service : Peers.service(isSecure: false, base: Peers.cases)
            for test in section.cases {
                let answer = try await play(test, service, folder: "library", storedBy: store)
                    .decoded(as: LibraryAnswer.self)
                #expect(answer.messages == test.expectedMessages, "case \(test.id)")
                #expect(answer.code == test.expectedCode, "case \(test.id)")
            }
        }
    }
#endif
