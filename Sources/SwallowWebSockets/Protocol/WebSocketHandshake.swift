import Foundation
import Swallow

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
        self.key = Data(key).base64EncodedString()
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
        for name in subprotocols where !HTTPSyntax.isToken(name) {
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
        Data(SHA1.digest((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)).base64EncodedString()
    }

    package static func items(_ value: String?) -> [String] {
        (value ?? "").split(separator: ",").map { String($0.trimmingSpaces) }.filter { !$0.isEmpty }
    }
}
