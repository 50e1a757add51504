#if os(Linux) && canImport(Glibc)
    import Testing

    @testable import SwallowWebSockets

    /// The Autobahn suite's sections 12 and 13 in representative form: kinds of content, sizes, and terms.
    @Suite("Compressed messages")
    struct WebSocketDeflateTests {
        private static let terms: [WebSocketDeflateTerms] = [
            "permessage-deflate", "permessage-deflate; server_no_context_takeover",
            "permessage-deflate; client_no_context_takeover",
            "permessage-deflate; server_no_context_takeover; client_no_context_takeover",
        ].compactMap { WebSocketDeflateTerms(response: $0) }

        private func machines(
            _ terms: WebSocketDeflateTerms, limit: Int = 16 * 1024 * 1024
        ) -> (client: WebSocketMachine, server: WebSocketMachine) {
            (
                WebSocketMachine(maximumMessageSize: limit, deflate: WebSocketDeflate(terms)),
                WebSocketMachine(
                    role: .server, maximumMessageSize: .max, deflate: WebSocketDeflate(terms, isServer: true))
            )
        }

        @Test("Messages of each size and content arrive unchanged in both directions", arguments: terms)
        func roundTrips(_ terms: WebSocketDeflateTerms) {
            var (client, server) = machines(terms)
            var random = SystemRandomNumberGenerator()
            for size in [0, 1, 63, 64, 256, 1024, 8192, 65536, 131_072] {
                let letters = String(
                    repeating: "{\"id\":1,\"name\":\"Squirrel Hill\"},", count: size / 32 + 1)
                let noise = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
                for _ in 0..<3 {
                    _ = (client.sendText(letters), client.sendBinary(noise))
                    let events = server.receive(client.takeOutput())
                    #expect(events == [.text(letters), .binary(noise)])
                    _ = (server.sendText(letters), server.sendBinary(noise))
                    let answers = client.receive(server.takeOutput())
                    #expect(answers == [.text(letters), .binary(noise)])
                }
            }
        }

        @Test("A thousand messages share one context", arguments: terms)
        func manyMessages(_ terms: WebSocketDeflateTerms) {
            var (client, server) = machines(terms)
            let text = String(repeating: "abcdefgh", count: 32)
            var sizes: [Int] = []
            for number in 0..<1000 {
                _ = client.sendText(text + "\(number)")
                let bytes = client.takeOutput()
                sizes.append(bytes.count)
                let events = server.receive(bytes)
                #expect(events == [.text(text + "\(number)")])
            }
            // With a shared context, later messages refer to earlier ones.
            #expect(sizes.allSatisfy { $0 < 60 })
        }

        @Test("Compressed fragments are joined, and a control frame may come between them")
        func fragments() throws {
            let (client, _) = machines(Self.terms[0])
            // "Hello" of RFC 7692 §7.2.3.1, in two fragments.
            let frames: [TestFrame] = [
                .text(bytes: [0xF2, 0x48, 0xCD]).reserved(4).fragment(), .ping([1]),
                .more(bytes: [0xC9, 0xC9, 0x07, 0x00]),
            ]
            var echo = EchoClient(client)
            echo.receive(frames.flatMap(\.bytes), inPartsOf: 1)
            #expect(echo.events == [.ping([1]), .text("Hello")])
        }

        @Test("The samples of RFC 7692 §7.2.3 are read")
        func samples() {
            let samples: [[UInt8]] = [
                [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00],
                // No compression.
                [0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00],
                // A block that ends the stream.
                [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00], [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00],
                // Two blocks.
                [0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00],
            ]
            var (client, _) = machines(Self.terms[0])
            for sample in samples {
                let events = client.receive(TestFrame.text(bytes: sample).reserved(4).bytes)
                #expect(events == [.text("Hello")])
            }
        }

        @Test("A decompression bomb fails as soon as the limit is exceeded")
        func bomb() {
            var (client, server) = machines(Self.terms[0], limit: 1_000_000)
            _ = server.sendBinary([UInt8](repeating: 0, count: 1_000_000))
            _ = server.sendBinary([UInt8](repeating: 0, count: 100_000_000))
            let bytes = server.takeOutput()
            #expect(bytes.count < 200_000)
            let events = client.receive(bytes)
            #expect(
                events == [.binary([UInt8](repeating: 0, count: 1_000_000)), .failure(.tooLarge(1_000_000))])
        }

        @Test(
            "A malformed message fails with 1007",
            arguments: [[0xFF, 0xFF], [0x07, 0x01, 0x02]] as [[UInt8]])
        func malformed(bytes: [UInt8]) {
            var (client, _) = machines(Self.terms[0])
            let events = client.receive(TestFrame.text(bytes: bytes).reserved(4).bytes)
            #expect(events == [.failure(.invalidCompression)])
        }

        @Test("A compressed text that isn't UTF-8 fails with 1007")
        func invalidText() {
            var (client, server) = machines(Self.terms[0])
            _ = server.sendBinary([UInt8](repeating: 0xFF, count: 100))
            var bytes = server.takeOutput()
            bytes[0] = bytes[0] & 0xF0 | 1
            let events = client.receive(bytes)
            #expect(events == [.failure(.invalidText)])
        }

        @Test("RSV1 is rejected in control frames, in continuations and without the extension")
        func reservedBit() {
            let frames: [[TestFrame]] = [
                [.ping().reserved(4)], [.close(1000).reserved(4)],
                [.text("a").fragment(), .more("b").reserved(4)],
            ]
            for frames in frames {
                var (client, _) = machines(Self.terms[0])
                let events = client.receive(frames.flatMap(\.bytes))
                #expect(events.last == .failure(.protocolError("a frame has a reserved bit")))
            }
            var plain = WebSocketMachine()
            let events = plain.receive(TestFrame.text("a").reserved(4).bytes)
            #expect(events == [.failure(.protocolError("a frame has a reserved bit"))])
        }
    }
#endif
