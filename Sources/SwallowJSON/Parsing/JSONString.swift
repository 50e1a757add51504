/// The text between a string's quotes, with its escapes (RFC 8259 §7). ``JSONText`` reads it.
enum JSONString {
    /// Appends a string's text, with escapes, and returns the kind of its word.
    static func append(_ string: String, to text: inout [UInt8]) -> JSONWord.Kind {
        var string = string
        return string.withUTF8 { append($0, to: &text) }
    }

    private static func append(_ bytes: UnsafeBufferPointer<UInt8>, to text: inout [UInt8]) -> JSONWord.Kind {
        var kind = JSONWord.Kind.ascii
        var runStart = 0
        for (index, byte) in bytes.enumerated() {
            if byte >= 0x80, kind == .ascii { kind = .text }
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
            text += bytes[runStart..<index]
            text += escape(for: byte).utf8
            runStart = index + 1
            kind = .escaped
        }
        text += bytes[runStart...]
        return kind
    }

    static func escape(for byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "\""): #"\""#
        case UInt8(ascii: "\\"): #"\\"#
        case 0x08: #"\b"#
        case 0x09: #"\t"#
        case 0x0A: #"\n"#
        case 0x0C: #"\f"#
        case 0x0D: #"\r"#
        case ..<0x10: #"\u000"# + String(byte, radix: 16)
        default: #"\u00"# + String(byte, radix: 16)
        }
    }
}
