/// An open WebSocket's protocol (RFC 6455) without a network. It receives bytes, returns events, and adds to `output`.
package struct WebSocketMachine: Sendable {
    enum Role: Sendable { case client, server }

    package enum Event: Sendable, Equatable {
        case text(String)
        case binary([UInt8])
        /// A ping. The receiver of the event doesn't reply to it.
        case ping([UInt8])
        case pong([UInt8])
        /// The peer's close frame. If this side hadn't sent one, the machine has added a reply to the output.
        case close(code: UInt16, reason: String)
        /// The peer violated the protocol or a limit. Unless it sent one before, the machine has added a close frame.
        case failure(WebSocketFailure)
    }

    struct Message: Sendable {
        let isText: Bool
        let isCompressed: Bool
        var bytes: [UInt8] = []
        var validator = UTF8Validator()
    }

    struct Frame: Sendable {
        let header: WebSocketFrameHeader
        var received = 0
    }

    private(set) var output: [UInt8] = []
    /// Whether this side has sent a close frame, after which it sends no other frame.
    private(set) var hasSentClose = false
    /// Whether the peer has closed or failed, so that all further bytes are ignored.
    package internal(set) var hasEnded = false

    let role: Role
    let maximumMessageSize: Int
    /// Whether the machine replies to pings. `false` only in tests that simulate a lost peer.
    let sendsPongs: Bool
    var deflate: (any WebSocketDeflating)?
    var headerBytes: [UInt8] = []
    var frame: Frame?
    var message: Message?
    var control: [UInt8] = []
    /// The last ping that arrived while `output` was full. Only the last ping needs a pong (RFC 6455 §5.5.3).
    var latePing: [UInt8]?

    static let outputLimit = 64 * 1024

    init(
        role: Role = .client, maximumMessageSize: Int = 16 * 1024 * 1024,
        sendsPongs: Bool = true, deflate: (any WebSocketDeflating)? = nil
    ) {
        self.role = role
        self.maximumMessageSize = maximumMessageSize
        self.sendsPongs = sendsPongs
        self.deflate = deflate
    }

    /// Returns the server's side, for tests and examples.
    package static func server(sendsPongs: Bool = true) -> Self {
        Self(role: .server, maximumMessageSize: .max, sendsPongs: sendsPongs)
    }

    package mutating func takeOutput() -> [UInt8] {
        defer {
            output = []
            if let latePing { _ = send(.pong, latePing) }
            latePing = nil
        }
        return output
    }
}

extension WebSocketMachine {
    /// Sends a text message. Returns `false` if this side has sent a close frame.
    package mutating func sendText(_ text: String) -> Bool { send(.text, Array(text.utf8)) }

    package mutating func sendBinary(_ bytes: [UInt8]) -> Bool { send(.binary, bytes) }

    /// Sends a ping with the first 125 bytes of the payload. Returns `false` if this side has sent a close frame.
    package mutating func sendPing(_ payload: [UInt8] = []) -> Bool { send(.ping, payload) }

    /// Sends a close frame. Replaces a forbidden code with 1000. Shortens the reason to at most 123 bytes of UTF-8.
    package mutating func sendClose(code: UInt16 = 1000, reason: String = "") {
        let code = WebSocketCloseCode.maySend(code) ? code : 1000
        sendClose([UInt8(code >> 8), UInt8(code & 0xFF)] + Array(Self.shortened(reason).utf8))
    }

    mutating func sendClose(_ payload: [UInt8]) {
        if send(.close, payload) { hasSentClose = true }
    }

    mutating func send(_ opcode: WebSocketFrameHeader.Opcode, _ payload: [UInt8]) -> Bool {
        if hasSentClose { return false }
        var payload = payload[...]
        var header = WebSocketFrameHeader(opcode: opcode, length: 0)
        if opcode.isControl {
            payload = payload.prefix(WebSocketFrameHeader.maximumControlLength)
        } else if let compressed = deflate?.compressed(payload) {
            header.isCompressed = true
            payload = compressed[...]
        }
        header.length = payload.count
        if role == .client { header.mask = WebSocketMask(key: .random(in: 0 ... .max)) }
        header.append(to: &output)
        let start = output.count
        output.append(contentsOf: payload)
        guard let mask = header.mask else { return true }
        output.withUnsafeMutableBytes { bytes in
            mask.apply(to: UnsafeMutableRawBufferPointer(rebasing: bytes[start...]))
        }
        return true
    }

    static func shortened(_ reason: String) -> String {
        var text = reason[...]
        while text.utf8.count > WebSocketFrameHeader.maximumControlLength - 2 {
            text = text.prefix(min(text.count - 1, WebSocketFrameHeader.maximumControlLength - 2))
        }
        return String(text)
    }
}
