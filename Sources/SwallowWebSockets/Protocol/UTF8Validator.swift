/// Checks text that arrives in pieces (Unicode 16, table 3-7). A character may be divided between pieces.
struct UTF8Validator: Sendable {
    private var missing = 0
    /// The range of the next continuation byte. It is smaller only for the second byte of some characters.
    private var (lowest, highest): (UInt8, UInt8) = (0x80, 0xBF)

    var isComplete: Bool { missing == 0 }

    static func text(of bytes: ArraySlice<UInt8>) -> String? {
        var validator = UTF8Validator()
        guard bytes.withUnsafeBytes({ validator.append($0) }), validator.isComplete else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Checks more bytes. Returns `false` if no further bytes can make the text valid.
    mutating func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index < bytes.count {
            if missing == 0 {
                while index + 8 <= bytes.count,
                    bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
                {
                    index += 8
                }
                guard index < bytes.count else { break }
            }
            guard append(bytes[index]) else { return false }
            index += 1
        }
        return true
    }

    private mutating func append(_ byte: UInt8) -> Bool {
        if missing > 0 {
            guard byte >= lowest, byte <= highest else { return false }
            missing -= 1
            (lowest, highest) = (0x80, 0xBF)
            return true
        }
        switch byte {
        case 0..<0x80: break
        case 0xC2...0xDF: missing = 1
        case 0xE0: (missing, lowest) = (2, 0xA0)
        case 0xED: (missing, highest) = (2, 0x9F)
        case 0xE1...0xEF: missing = 2
        case 0xF0: (missing, lowest) = (3, 0x90)
        case 0xF4: (missing, highest) = (3, 0x8F)
        case 0xF1...0xF3: missing = 3
        default: return false
        }
        return true
    }
}
