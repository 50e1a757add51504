/// The client's side of the opening handshake (RFC 6455 §4.1).
package struct WebSocketHandshake: Sendable {
    struct Agreement: Sendable, Equatable {
        var subprotocol: String?
        var deflate: WebSocketDeflateTerms?
    }

    let key: String
    let subprotocols: [String]
    let offersDeflate: Bool

    init(
        key: [UInt8] = (0..<16).map { _ in .random(in: 0...255) }, subprotocols: [String] = [],
        offersDeflate: Bool = false
    ) {
        self.key = Base64.text(of: key)
        self.subprotocols = subprotocols
        self.offersDeflate = offersDeflate
    }

    var fields: [String: String] {
        var fields = [
            "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": key,
        ]
        if !subprotocols.isEmpty {
            fields["Sec-WebSocket-Protocol"] = subprotocols.joined(separator: ", ")
        }
        if offersDeflate { fields["Sec-WebSocket-Extensions"] = WebSocketDeflateTerms.offer }
        return fields
    }

    /// The problem with the subprotocols, or `nil`. They must be tokens without duplicates (RFC 6455 §4.1).
    var problem: String? {
        for name in subprotocols where name.isEmpty || !name.utf8.allSatisfy(Self.isTokenByte) {
            return "\(name.debugDescription) can't be the name of a subprotocol"
        }
        return Set(subprotocols).count == subprotocols.count ? nil : "two subprotocols have the same name"
    }

    /// Returns the terms of a 101, or throws the reason to reject it. `field` returns the value of a header field.
    func agreement(_ field: (String) -> String?) throws(WebSocketFailure) -> Agreement {
        guard Self.items(field("Upgrade")).contains(where: { $0.lowercased() == "websocket" }),
            Self.items(field("Connection")).contains(where: { $0.lowercased() == "upgrade" })
        else { throw .protocolError("the response doesn't upgrade to a WebSocket") }
        guard field("Sec-WebSocket-Accept") == Self.accept(for: key) else {
            throw .protocolError("Sec-WebSocket-Accept doesn't belong to the request")
        }
        var agreement = Agreement()
        if let name = field("Sec-WebSocket-Protocol") {
            guard subprotocols.contains(name) else {
                throw .protocolError("the server chose \(name.debugDescription), which wasn't offered")
            }
            agreement.subprotocol = name
        }
        let extensions = Self.items(field("Sec-WebSocket-Extensions"))
        guard let first = extensions.first else { return agreement }
        guard offersDeflate, extensions.count == 1, let terms = WebSocketDeflateTerms(response: first) else {
            throw .protocolError(
                "the server chose extensions that weren't offered: \(first.debugDescription)")
        }
        agreement.deflate = terms
        return agreement
    }

    /// Returns the value of `Sec-WebSocket-Accept` for a key (RFC 6455 §4.2.2).
    package static func accept(for key: String) -> String {
        Base64.text(of: SHA1.digest(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)))
    }

    package static func items(_ value: String?) -> [String] {
        (value ?? "").split(separator: ",").map { Self.trimmed($0) }.filter { !$0.isEmpty }
    }

    static func trimmed(_ text: Substring) -> String {
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        var text = text.drop(while: isBlank)
        while let last = text.last, isBlank(last) { text.removeLast() }
        return String(text)
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

/// Base64 without Foundation, which the files of the protocol don't import.
enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func text(of bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = Array(bytes[start..<min(start + 3, bytes.count)])
            let word = (0..<3).reduce(UInt32(0)) { $0 << 8 | UInt32($1 < group.count ? group[$1] : 0) }
            for index in 0..<4 {
                let letter = alphabet[Int(word >> UInt32(18 - 6 * index) & 0x3F)]
                text.append(index <= group.count ? letter : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
