/// The bytes of a frame before its payload (RFC 6455 §5.2).
struct WebSocketFrameHeader: Sendable, Equatable {
    enum Opcode: UInt8, Sendable {
        case continuation = 0
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10

        var isControl: Bool { rawValue >= 8 }
    }

    var isFinal = true
    /// RSV1, which marks a compressed message (RFC 7692 §6).
    var isCompressed = false
    var opcode: Opcode
    var mask: WebSocketMask?
    var length: Int

    static let maximumControlLength = 125
}

extension WebSocketFrameHeader {
    /// Parses the first bytes of a frame. Returns `nil` if the header has more bytes.
    static func parse(_ bytes: [UInt8]) throws(WebSocketFailure) -> WebSocketFrameHeader? {
        guard bytes.count >= 2 else { return nil }
        let (first, second) = (bytes[0], bytes[1])
        if first & 0x30 != 0 { throw .protocolError("a frame has a reserved bit") }
        guard let opcode = Opcode(rawValue: first & 0x0F) else {
            throw .protocolError("a frame has the reserved opcode \(first & 0x0F)")
        }
        var header = WebSocketFrameHeader(opcode: opcode, length: Int(second & 0x7F))
        header.isFinal = first & 0x80 != 0
        header.isCompressed = first & 0x40 != 0
        if opcode.isControl {
            if !header.isFinal { throw .protocolError("a control frame is fragmented") }
            if header.length > maximumControlLength {
                throw .protocolError("a control frame has more than 125 bytes")
            }
        }
        let lengthSize = header.length == 127 ? 8 : header.length == 126 ? 2 : 0
        let maskSize = second & 0x80 != 0 ? 4 : 0
        guard bytes.count >= 2 + lengthSize + maskSize else { return nil }
        if lengthSize > 0 {
            let length = bytes[2..<2 + lengthSize].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            guard let length = Int(exactly: length) else {
                throw .protocolError("a frame's length has its first bit set")
            }
            header.length = length
        }
        if maskSize > 0 {
            header.mask = WebSocketMask(bytes[(2 + lengthSize)...].prefix(4))
        }
        return header
    }

    func append(to bytes: inout [UInt8]) {
        bytes.append((isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0) | opcode.rawValue)
        let maskBit: UInt8 = mask == nil ? 0 : 0x80
        let (shortLength, size): (UInt8, Int) =
            switch length {
            case ..<126: (UInt8(truncatingIfNeeded: length), 0)
            case ..<65536: (126, 2)
            default: (127, 8)
            }
        bytes.append(maskBit | shortLength)
        for index in (0..<size).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: length >> (8 * index)))
        }
        if let mask { bytes.append(contentsOf: mask.bytes) }
    }
}

/// The key that masks a client's payload (RFC 6455 §5.3).
struct WebSocketMask: Sendable, Equatable {
    /// The four bytes of the key. The highest byte is sent first.
    let key: UInt32

    init(key: UInt32) { self.key = key }

    init(_ bytes: some Sequence<UInt8>) {
        key = bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }

    var bytes: [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: key >> $0) }
    }

    /// Masks or unmasks bytes. `offset` is the place of the first byte in the payload.
    func apply(to bytes: UnsafeMutableRawBufferPointer, offset: Int = 0) {
        let turn = UInt32(8 * (offset & 3))
        let turned = turn == 0 ? key : key << turn | key >> (32 - turn)
        let word = UInt64(turned) << 32 | UInt64(turned)
        let mask = word.bigEndian
        var index = 0
        while index + 8 <= bytes.count {
            let value = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            bytes.storeBytes(of: value ^ mask, toByteOffset: index, as: UInt64.self)
            index += 8
        }
        while index < bytes.count {
            bytes[index] ^= UInt8(truncatingIfNeeded: turned >> UInt32(24 - 8 * (index & 3)))
            index += 1
        }
    }
}
