import Testing

@testable import SwallowWebSockets

@Suite("The handshake of WebSockets")
struct WebSocketHandshakeTests {
    private let key = Array("the sample nonce".utf8)

    private func agreement(
        _ fields: [String: String], offersDeflate: Bool = true
    ) throws(WebSocketFailure) -> WebSocketHandshake.Agreement {
        let handshake = WebSocketHandshake(
            key: key, subprotocols: ["v1", "v2"], offersDeflate: offersDeflate)
        var all = [
            "Upgrade": "WebSocket", "Connection": "keep-alive, Upgrade",
            "Sec-WebSocket-Accept": "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
        ]
        all.merge(fields) { $1 }
        return try handshake.agreement { all[$0] }
    }

    @Test("The key and its proof are those of RFC 6455 §1.3")
    func sample() throws {
        let handshake = WebSocketHandshake(key: key, subprotocols: ["v1", "v2"])
        #expect(handshake.fields["Sec-WebSocket-Key"] == "dGhlIHNhbXBsZSBub25jZQ==")
        #expect(handshake.fields["Sec-WebSocket-Protocol"] == "v1, v2")
        #expect(try agreement([:]) == WebSocketHandshake.Agreement())
        #expect(try agreement(["Sec-WebSocket-Protocol": "v2"]).subprotocol == "v2")
    }

    @Test(
        "A response that doesn't fit the request is rejected",
        arguments: [
            ["Upgrade": "h2c"], ["Connection": "close"], ["Sec-WebSocket-Accept": "xxxx"],
            ["Sec-WebSocket-Protocol": "v3"], ["Sec-WebSocket-Extensions": "foo"],
            ["Sec-WebSocket-Extensions": "permessage-deflate, foo"],
            ["Sec-WebSocket-Extensions": "permessage-deflate; client_max_window_bits=10"],
            ["Sec-WebSocket-Extensions": "permessage-deflate; server_max_window_bits=16"],
            ["Sec-WebSocket-Extensions": "permessage-deflate; server_max_window_bits"],
            ["Sec-WebSocket-Extensions": "permessage-deflate; server_no_context_takeover=1"],
            ["Sec-WebSocket-Extensions": "permessage-deflate; unknown"],
            [
                "Sec-WebSocket-Extensions":
                    "permessage-deflate; server_no_context_takeover; server_no_context_takeover"
            ],
        ])
    func rejected(fields: [String: String]) {
        #expect(throws: WebSocketFailure.self) { try agreement(fields) }
    }

    @Test("The terms of compression are read")
    func deflateTerms() throws {
        let field = "permessage-deflate; server_no_context_takeover; server_max_window_bits=\"10\""
        let terms = try agreement(["Sec-WebSocket-Extensions": field]).deflate
        #expect(terms?.serverForgets == true && terms?.clientForgets == false)
        #expect(throws: WebSocketFailure.self) {
            try agreement(["Sec-WebSocket-Extensions": "permessage-deflate"], offersDeflate: false)
        }
    }
}
