struct FieldScanner {
    private var bytes: Substring.UTF8View

    private(set) var isUnclosed = false

    init(_ field: some StringProtocol) {
        var text = String(field)
        text.makeContiguousUTF8()
        bytes = text[...].utf8
    }

    var rest: Substring { Substring(bytes) }

    var next: UInt8? { bytes.first }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        bytes.removeFirst()
        return true
    }

    mutating func skipSpaces() {
        bytes = bytes.drop(while: HTTPSyntax.isWhitespace)
    }

    mutating func text(before ends: String) -> Substring {
        var (ends, rest) = (ends, rest)
        // Searching contiguous memory is faster than `prefix(while:)`.
        let count = ends.withUTF8 { ends in
            rest.withUTF8 { $0.firstIndex(where: ends.contains) ?? $0.count }
        }
        let text = bytes.prefix(count)
        bytes = bytes[text.endIndex...]
        return Substring(text)
    }

    /// Skips the text before the next comma outside quotes (RFC 9110 §5.6.1).
    mutating func skipElement() {
        while let next, next != UInt8(ascii: ",") {
            if skip("\"") { _ = quotedString() } else { _ = text(before: ",\"") }
        }
    }

    /// Reads a quoted string whose first quote was read (RFC 9110 §5.6.4). The closing quote may be missing.
    mutating func quotedString() -> String {
        var text: [UInt8] = []
        while let byte = bytes.popFirst() {
            if byte == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
            text.append(byte == UInt8(ascii: "\\") ? bytes.popFirst() ?? byte : byte)
        }
        isUnclosed = true
        return String(decoding: text, as: UTF8.self)
    }

    mutating func parameterValue(before ends: String) -> String {
        skipSpaces()
        guard skip("\"") else { return String(text(before: ends).trimmingSpaces) }
        defer { _ = text(before: ends) }
        return quotedString()
    }

    /// Reads parameters by lowercase name. If a name repeats, the first value counts. Without `=`, the value is empty.
    mutating func parameters() -> [String: String] {
        var parameters: [String: String] = [:]
        while next != nil {
            let name = text(before: "=;").trimmingSpaces.lowercased()
            let value = skip("=") ? parameterValue(before: ";") : ""
            _ = skip(";")
            parameters[name] = parameters[name] ?? value
        }
        return parameters
    }
}
