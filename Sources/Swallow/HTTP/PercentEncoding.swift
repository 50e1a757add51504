import Foundation

/// Percent-encoding (RFC 3986 §2). On Linux, one illegal character makes `URL(string:)` encode a complete component.
enum PercentEncoding {
    private enum Strays { case rejected, escaped }

    /// Escapes everything outside the unreserved set (RFC 3986 §2.3).
    static func encode(_ text: some StringProtocol) -> String {
        if text.utf8.allSatisfy(isUnreserved) { return String(text) }
        let digits = Array("0123456789ABCDEF".utf8)
        var encoded: [UInt8] = []
        encoded.reserveCapacity(text.utf8.count * 3)
        for byte in text.utf8 {
            if isUnreserved(byte) {
                encoded.append(byte)
            } else {
                encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    static func decode(_ text: Substring, isLenient: Bool = false) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text.utf8
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), digits.count == 2, digits.allSatisfy(isHexadecimalDigit),
                let escaped = UInt8(Substring(digits), radix: 16)
            {
                bytes.append(escaped)
                rest = rest.dropFirst(2)
            } else if isLenient || byte < 0x80 && byte != UInt8(ascii: "%") {
                bytes.append(byte)
            } else {
                return nil
            }
        }
        return bytes
    }

    static func escapeNonASCII(_ bytes: some Sequence<UInt8>) -> String {
        bytes.reduce(into: "") { $0 += $1 < 0x80 ? String(Unicode.Scalar($1)) : hexadecimal($1) }
    }

    /// Escapes illegal characters, but not in the host. Returns `nil` for control characters and stray `%`.
    static func escapeIllegal(_ text: String) -> String? {
        escape(text, .rejected)
    }

    static func problem(of text: String) -> String {
        "\"\(text)\" contains a control character, or a % without two hexadecimal digits"
    }

    static func repair(_ text: String) -> String {
        escape(text, .escaped) ?? text
    }

    private static func escape(_ text: String, _ strays: Strays) -> String? {
        if text.utf8.allSatisfy(isLegal) { return text }
        let host = text.host(isReference: strays == .escaped)
        guard let front = escape(text[..<host.startIndex], strays),
            let rest = escape(text[host.endIndex...], strays)
        else { return nil }
        return front + host + rest
    }

    private static func escape(_ text: Substring, _ strays: Strays) -> String? {
        var escaped = ""
        escaped.reserveCapacity(text.utf8.count * 2)
        let bytes = text.utf8
        var rest = bytes.startIndex
        for index in bytes.indices {
            let byte = bytes[index]
            if isLegal(byte) { continue }
            if byte == UInt8(ascii: "%"), isEscape(bytes[index...]) { continue }
            if strays == .rejected, byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "%") { return nil }
            escaped += Substring(bytes[rest..<index])
            rest = bytes.index(after: index)
            escaped += hexadecimal(byte)
        }
        return escaped + Substring(bytes[rest...])
    }

    private static func isEscape(_ text: Substring.UTF8View.SubSequence) -> Bool {
        let digits = text.dropFirst().prefix(2)
        return digits.count == 2 && digits.allSatisfy(isHexadecimalDigit)
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        (byte < 0x10 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
    }

    private static func isLegal(_ byte: UInt8) -> Bool {
        isUnreserved(byte) || isDelimiter(byte)
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

    /// Whether a byte is a delimiter (RFC 3986 §2.2), but not a bracket, because only a host may contain brackets.
    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ":"), UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "@"),
            UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("),
            UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: ";"),
            UInt8(ascii: "="):
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
