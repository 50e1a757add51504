/// The reason why a connection fails, and the code for the close frame (RFC 6455 §7.4.1).
package struct WebSocketFailure: Error, Sendable, Equatable {
    let code: UInt16
    let text: String

    static func protocolError(_ text: String) -> Self { Self(code: 1002, text: text) }

    static let invalidText = Self(code: 1007, text: "a text isn't valid UTF-8")
    static let invalidCompression = Self(code: 1007, text: "a compressed message is malformed")

    static func tooLarge(_ limit: Int) -> Self {
        Self(code: 1009, text: "a message has more than \(limit) bytes")
    }
}

enum WebSocketCloseCode {
    /// Stands for a close frame without a code (RFC 6455 §7.1.5).
    static let none: UInt16 = 1005

    /// Whether a close frame may contain the code (RFC 6455 §7.4, and the codes that IANA has registered since).
    static func maySend(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
