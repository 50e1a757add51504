import Testing

@testable import SwallowWebSockets

@Suite("The state machine of WebSockets")
struct WebSocketMachineTests {
    @Test("A message that exceeds the limit fails with 1009 before its bytes arrive")
    func limit() throws {
        var client = EchoClient(WebSocketMachine(maximumMessageSize: 10))
        client.receive(TestFrame.text("0123456789").bytes)
        #expect(client.events == [.text("0123456789")])
        client.receive(TestFrame.text("01234").fragment().bytes)
        client.receive(TestFrame.more("567890").bytes.prefix(2))
        #expect(client.events.last == .failure(.tooLarge(10)))
        #expect(try TestFrame.frames(in: client.sent).last == .close(1009))
    }

    @Test("A length of 2^63 or more fails, and a huge length doesn't reserve memory")
    func hugeLengths() {
        var client = EchoClient()
        client.receive([0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0])
        #expect(client.events == [.failure(.protocolError("a frame's length has its first bit set"))])
        client = EchoClient()
        client.receive([0x82, 127, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
        #expect(client.events == [.failure(.tooLarge(16 * 1024 * 1024))])
    }

    @Test("A client rejects masked frames, and a server rejects frames without a mask")
    func masks() {
        var client = WebSocketMachine()
        let events = client.receive([0x81, 0x80, 1, 2, 3, 4])
        #expect(events == [.failure(.protocolError("the server has masked a frame"))])
        var server = WebSocketMachine(role: .server)
        let serverEvents = server.receive([0x81, 0x00])
        #expect(serverEvents == [.failure(.protocolError("the client hasn't masked a frame"))])
    }

    @Test("A server reads what a client sends, however the bytes are divided", arguments: [1, 3, 5, 4096])
    func roundTrip(size: Int) {
        var client = WebSocketMachine()
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        _ = client.sendText("κόσμε")
        _ = client.sendBinary(bytes)
        _ = client.sendPing([1, 2, 3])
        client.sendClose(code: 4001, reason: "bye")
        let sent = client.takeOutput()
        var server = WebSocketMachine(role: .server)
        var events: [WebSocketMachine.Event] = []
        for start in stride(from: 0, to: sent.count, by: size) {
            events += server.receive(Array(sent[start..<min(start + size, sent.count)]))
        }
        #expect(
            events == [
                .text("κόσμε"), .binary(bytes), .ping([1, 2, 3]), .close(code: 4001, reason: "bye"),
            ])
        let answers = client.receive(server.takeOutput())
        #expect(answers == [.pong([1, 2, 3]), .close(code: 4001, reason: "")])
        #expect(client.output.isEmpty)
    }

    @Test("After its close frame, a side sends nothing more, but reads until the peer's close frame")
    func closing() {
        var client = WebSocketMachine()
        client.sendClose(code: 1000, reason: "")
        _ = client.takeOutput()
        let isSent = client.sendText("late")
        #expect(!isSent)
        client.sendClose(code: 1001, reason: "")
        let frames: [TestFrame] = [.text("on its way"), .ping(), .close(1000), .text("ignored")]
        let events = client.receive(frames.flatMap(\.bytes))
        #expect(events == [.text("on its way"), .ping([]), .close(code: 1000, reason: "")])
        #expect(client.output.isEmpty)
    }

    @Test("A code that must not be sent becomes 1000, and a long reason is shortened between characters")
    func sentCodes() throws {
        var client = WebSocketMachine()
        client.sendClose(code: 1006, reason: String(repeating: "ü", count: 100))
        var server = WebSocketMachine(role: .server)
        let reason = String(repeating: "ü", count: 61)
        let events = server.receive(client.takeOutput())
        #expect(events == [.close(code: 1000, reason: reason)])
    }

    @Test("Each frame has its own mask")
    func freshMasks() {
        var client = WebSocketMachine()
        _ = client.sendText("same")
        let first = client.takeOutput()
        _ = client.sendText("same")
        let second = client.takeOutput()
        #expect(first != second)
    }

    @Test("SHA-1 has the digests of RFC 3174")
    func sha1() {
        func hex(_ text: String) -> String {
            SHA1.digest(Array(text.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
        #expect(hex("abc") == "a9993e364706816aba3e25717850c26c9cd0d89d")
        #expect(hex("") == "da39a3ee5e6b4b0d3255bfef95601890afd80709")
        #expect(
            hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")
                == "84983e441c3bd26ebaae4aa1f95129e5e54670f1")
        #expect(hex(String(repeating: "a", count: 64)) == "0098ba824b5c16427bd7a1122a5a442a25ec644d")
    }
}
