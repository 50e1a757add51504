import Foundation

package enum HTTPSyntax {
    static let lettersAndDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

    /// Returns a table with an element for each byte, which is `true` if the text contains the byte.
    static func table(of characters: String) -> [Bool] {
        var table = [Bool](repeating: false, count: 256)
        for byte in characters.utf8 { table[Int(byte)] = true }
        return table
    }

    private static let tokenCharacters = table(of: lettersAndDigits + "!#$%&'*+-.^_`|~")

    /// Returns whether text is a token (RFC 9110 §5.6.2), as methods and field names must be.
    package static func isToken(_ text: some StringProtocol) -> Bool {
        let tokenCharacters = tokenCharacters
        return !text.isEmpty && text.utf8.allSatisfy { tokenCharacters[Int($0)] }
    }

    static func isSafe(_ method: String) -> Bool {
        switch method {
        case "GET", "HEAD", "OPTIONS", "TRACE": true
        default: false
        }
    }

    /// Returns whether a field's value can be sent. It can't if it contains CR, LF or NUL (RFC 9110 §5.5).
    package static func isFieldValue(_ text: some StringProtocol) -> Bool {
        text.utf8.allSatisfy { $0 != 0x0A && $0 != 0x0D && $0 != 0 }
    }

    /// Returns the text of a field's bytes, read as UTF-8, or as ISO-8859-1 if they aren't UTF-8 (RFC 9110 §5.5).
    package static func text(_ bytes: some Collection<UInt8>) -> String {
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        return String(bytes: bytes, encoding: .utf8)
            ?? String(decoding: bytes.map(UInt16.init), as: UTF16.self)
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    /// Returns whether a byte is a space, a tab, CR or LF, as WHATWG Fetch defines HTTP whitespace.
    static func isWhitespace(_ byte: UInt8) -> Bool {
        isSpace(byte) || byte == 0x0D || byte == 0x0A
    }

    /// Returns the elements, in lowercase, of a list that can't contain quoted strings (RFC 9110 §5.6.1).
    static func elements(of field: String) -> [String] {
        field.split(separator: ",").map { $0.trimmingSpaces.lowercased() }.filter { !$0.isEmpty }
    }

    /// Splits a list at the commas that aren't in quoted strings (RFC 9110 §5.6.1, §5.6.4).
    static func parts(of field: String) -> [Substring] {
        var scanner = FieldScanner(field)
        var parts: [Substring] = []
        repeat {
            let rest = scanner.rest
            scanner.skipElement()
            parts.append(rest[..<scanner.rest.startIndex])
        } while scanner.skip(",")
        return parts
    }

    /// Returns a field's value in a normal form, for comparing the fields of requests (RFC 9111 §4.1).
    static func normalized(_ value: String?, of name: String) -> String? {
        guard let value else { return nil }
        let trimmed = String(value.trimmingSpaces)
        guard trimmed.utf8.contains(UInt8(ascii: ",")) || trimmed.utf8.contains(where: { $0 & 0xE0 == 0x40 }),
            !trimmed.utf8.contains(UInt8(ascii: "\""))
        else { return trimmed }
        var elements = trimmed.utf8.split(separator: UInt8(ascii: ",")).map {
            String(Substring($0).trimmingSpaces)
        }
        switch name.lowercased() {
        case "accept": elements.sort()
        case "accept-charset", "accept-encoding", "accept-language":
            elements = elements.map { $0.lowercased() }.sorted()
        default: break
        }
        return elements.joined(separator: ",")
    }

    /// Returns a number of seconds, at most `maximumSeconds` (RFC 9111 §1.2.2). `nil` if the trimmed text isn't digits.
    static func seconds<Text: StringProtocol>(_ text: Text) -> Int?
    where Text.UTF8View: BidirectionalCollection {
        let digits = text.trimmingSpaces.utf8
        if digits.isEmpty { return nil }
        var seconds: Int64 = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            seconds = min(seconds * 10 + Int64(digit - UInt8(ascii: "0")), Int64(maximumSeconds))
        }
        return Int(seconds)
    }

    static let maximumSeconds = Int(clamping: Int64(1) << 31)
}

extension StringProtocol where UTF8View: BidirectionalCollection {
    package var trimmingSpaces: SubSequence { trimming(HTTPSyntax.isSpace) }

    func trimming(_ isTrimmed: (UInt8) -> Bool) -> SubSequence {
        guard let first = utf8.firstIndex(where: { !isTrimmed($0) }),
            let last = utf8.lastIndex(where: { !isTrimmed($0) })
        else { return self[endIndex...] }
        return self[first..<utf8.index(after: last)]
    }
}

extension String {
    /// Replaces scalars, not characters. For Swift, a `"` with a combining accent is another character than `"`.
    func replacingScalar(_ scalar: Unicode.Scalar, with replacement: String) -> String {
        String(unicodeScalars.replacing([scalar], with: replacement.unicodeScalars))
    }

    /// The text as a quoted string (RFC 9110 §5.6.4).
    var quoted: String {
        "\"\(replacingScalar("\\", with: "\\\\").replacingScalar("\"", with: "\\\""))\""
    }
}

extension Collection<UInt8> {
    /// Returns the text of the first `limit` bytes, without an incomplete UTF-8 sequence at the limit.
    func text(upTo limit: Int) -> String {
        var text = String(decoding: prefix(Swift.max(0, limit)), as: UTF8.self)
        if count > limit {
            while text.last == "\u{FFFD}" { text.removeLast() }
        }
        return text
    }
}
