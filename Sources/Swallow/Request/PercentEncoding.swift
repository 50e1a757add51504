import Foundation

/// RFC 3986 §2 over UTF-8 bytes.
enum PercentEncoding {
    /// Escapes everything outside the unreserved set (RFC 3986 §2.3).
    static func encode(_ text: some StringProtocol) -> String {
        encode(text, keeping: isUnreserved)
    }

    /// Escapes what can't stand in a URI at all and keeps delimiters and escapes that are already there. The
    /// authority of an HTTP URL stays as it is: hosts have an encoding of their own.
    ///
    /// - Returns: nil for a control character or a `%` that two hexadecimal digits don't follow.
    static func escapeIllegal(_ text: String) -> String? {
        if text.utf8.allSatisfy({ isUnreserved($0) || isDelimiter($0) }) { return text }
        let path = text.pathOfHTTPURL ?? text[...]
        let bytes = path.utf8
        for index in bytes.indices {
            let byte = bytes[index]
            if byte < 0x20 || byte == 0x7F { return nil }
            guard byte == UInt8(ascii: "%") else { continue }
            let digits = bytes[index...].dropFirst().prefix(2)
            guard digits.count == 2, digits.allSatisfy(isHexadecimalDigit) else { return nil }
        }
        return text[..<path.startIndex]
            + encode(path) { isUnreserved($0) || isDelimiter($0) || $0 == UInt8(ascii: "%") }
    }

    /// What is wrong with text that `escapeIllegal` gives nil for.
    static func problem(of text: String) -> String {
        "\"\(text)\" holds a control character or a stray %"
    }

    private static func encode(_ text: some StringProtocol, keeping isKept: (UInt8) -> Bool) -> String {
        if text.utf8.allSatisfy(isKept) { return String(text) }
        let digits = Array("0123456789ABCDEF".utf8)
        var encoded: [UInt8] = []
        encoded.reserveCapacity(text.utf8.count * 3)
        for byte in text.utf8 {
            if isKept(byte) {
                encoded.append(byte)
            } else {
                encoded.append(UInt8(ascii: "%"))
                encoded.append(digits[Int(byte >> 4)])
                encoded.append(digits[Int(byte & 0xF)])
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// `gen-delims` and `sub-delims` of RFC 3986 §2.2.
    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ":"), UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "["),
            UInt8(ascii: "]"), UInt8(ascii: "@"), UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"),
            UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="):
            true
        default: false
        }
    }

    private static func isHexadecimalDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
