import Foundation

package enum PercentEncoding {
    private static let unreservedCharacters = HTTPSyntax.lettersAndDigits + "-._~"
    private static let unreserved = HTTPSyntax.table(of: unreservedCharacters)

    /// The characters that a URL may contain unescaped outside its host.
    private static let legal = HTTPSyntax.table(of: unreservedCharacters + ":/?#@!$&'()*+,;=")

    /// Escapes all characters except the unreserved ones (RFC 3986 §2.3).
    package static func encode(_ text: some StringProtocol) -> String {
        let unreserved = unreserved
        if text.utf8.allSatisfy({ unreserved[Int($0)] }) { return String(text) }
        let digits = Array("0123456789ABCDEF".utf8)
        var encoded: [UInt8] = []
        encoded.reserveCapacity(text.utf8.count * 3)
        for byte in text.utf8 {
            if unreserved[Int(byte)] {
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
            if byte == UInt8(ascii: "%"), beginsWithDigits(rest),
                let escaped = UInt8(Substring(rest.prefix(2)), radix: 16)
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

    /// Escapes illegal characters outside the host. `nil` for a control character, or `%` without two hex digits.
    static func escapeIllegal(_ text: String) -> String? {
        escape(text, isLenient: false)
    }

    static func problem(of text: String) -> String {
        "\"\(text)\" contains a control character, or a % without two hexadecimal digits"
    }

    package static func repair(_ text: String) -> String {
        escape(text, isLenient: true) ?? text
    }

    private static func escape(_ text: String, isLenient: Bool) -> String? {
        let legal = legal
        let isLegal = text.utf8.withContiguousStorageIfAvailable { $0.allSatisfy { legal[Int($0)] } }
        if isLegal == true { return text }
        let host = text.host(isReference: isLenient)
        guard let front = escape(text[..<host.startIndex], isLenient: isLenient),
            let rest = escape(text[host.endIndex...], isLenient: isLenient)
        else { return nil }
        return front + host + rest
    }

    private static func escape(_ text: Substring, isLenient: Bool) -> String? {
        var escaped = ""
        escaped.reserveCapacity(text.utf8.count * 2)
        let (bytes, legal) = (text.utf8, legal)
        var rest = bytes.startIndex
        for index in bytes.indices {
            let byte = bytes[index]
            if legal[Int(byte)] { continue }
            if byte == UInt8(ascii: "%"), beginsWithDigits(bytes[index...].dropFirst()) { continue }
            if !isLenient, byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "%") { return nil }
            escaped += Substring(bytes[rest..<index])
            rest = bytes.index(after: index)
            escaped += hexadecimal(byte)
        }
        return escaped + Substring(bytes[rest...])
    }

    private static func beginsWithDigits(_ text: Substring.UTF8View) -> Bool {
        let digits = text.prefix(2)
        return digits.count == 2 && digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        (byte < 0x10 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
    }
}
