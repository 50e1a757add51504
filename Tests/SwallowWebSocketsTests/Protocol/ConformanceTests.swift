import Testing

@testable import SwallowWebSockets

@Suite("The Autobahn suite's cases, on the state machine")
struct ConformanceTests {
    @Test(
        "The client answers each case as the suite expects, however the bytes are divided",
        arguments: ConformanceSection.allCases)
    func smallCases(_ section: ConformanceSection) throws {
        for test in section.cases {
            let bytes = test.sent.flatMap(\.bytes)
            for size in [bytes.count, 1, 7, 997] where bytes.count / size < 1000 {
                var client = EchoClient()
                client.receive(bytes, inPartsOf: size)
                let sent = try TestFrame.frames(in: client.sent)
                #expect(sent == test.expected, "case \(test.id) in parts of \(size)")
            }
        }
    }

    @Test("The client answers large and fragmented messages", arguments: ConformanceCase.limits)
    func largeCases(_ test: ConformanceCase) {
        var client = EchoClient()
        client.receive(test.sent.flatMap(\.bytes), inPartsOf: 65536)
        // A server's machine reads large messages faster than the tests' own reader.
        var server = WebSocketMachine(role: .server)
        let (sent, expected) = (server.receive(client.sent), test.expected.map(\.event))
        // A comparison inside the macro would print megabytes.
        let isSame = sent == expected
        #expect(isSame)
    }
}
