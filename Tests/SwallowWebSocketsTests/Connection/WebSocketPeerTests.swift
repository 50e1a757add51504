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
        static let proxy = variable("SWALLOW_WEBSOCKETS_PROXY")

        private static func variable(_ name: String) -> String {
            ProcessInfo.processInfo.environment[name] ?? ""
        }

        static func service(isSecure: Bool, throughProxy: Bool = false, trusts: Bool = true) -> WebService {
            var configuration = CurlDataSource.Configuration()
            configuration.proxy = throughProxy ? .url(proxy) : .none
            if trusts { configuration.tls.certificateAuthorityFile = authority }
            return .test(CurlDataSource(configuration: configuration), base: isSecure ? tls : plain)
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
    }
#endif
