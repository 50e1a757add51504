/// The text between a string's quotes, with its escapes (RFC 8259 §7) and without.
enum JSONString {
    /// The value of a text that has been validated.
    static func unescaped(_ text: UnsafeBufferPointer<UInt8>) -> String {
        String(unsafeUninitializedCapacity: text.count) { output in
            unescape(text, into: output)
        }
    }

    /// An escape is longer than its character, so the output needs no more room than the text.
    private static func unescape(
        _ text: UnsafeBufferPointer<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        guard let input = text.baseAddress, let start = output.baseAddress else { return 0 }
        var (index, next) = (0, start)
        while index < text.count {
            let byte = input[index]
            if byte != UInt8(ascii: "\\") {
                next.pointee = byte
                next += 1
                index &+= 1
            } else if input[index &+ 1] == UInt8(ascii: "u") {
                index &+= unicode(input + index, into: &next)
            } else {
                next.pointee = character(escapedAs: input[index &+ 1])
                next += 1
                index &+= 2
            }
        }
        return next - start
    }

    private static func character(escapedAs byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: byte
        }
    }

    /// Writes the character of one escape, or of the two of a surrogate pair, and gives the escapes' length.
    private static func unicode(
        _ input: UnsafePointer<UInt8>, into next: inout UnsafeMutablePointer<UInt8>
    ) -> Int {
        let first = JSONScanner.hexDigits(input + 2) ?? 0
        let isPair = (0xD800...0xDBFF).contains(first)
        let second = isPair ? JSONScanner.hexDigits(input + 8) ?? 0 : 0
        let value = isPair ? 0x10000 + ((first & 0x3FF) << 10) + (second & 0x3FF) : first
        for byte in String(Unicode.Scalar(value) ?? "\u{FFFD}").utf8 {
            next.pointee = byte
            next += 1
        }
        return isPair ? 12 : 6
    }

    /// The text of a value, and what kind of string that makes.
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

    private static func escape(for byte: UInt8) -> String {
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
