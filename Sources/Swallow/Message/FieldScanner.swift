/// Reads the value of a header field from left to right (RFC 9110 §5.6).
struct FieldScanner {
    private var bytes: Substring.UTF8View

    init(_ field: some StringProtocol) {
        bytes = Substring(field).utf8
    }

    /// The text that hasn't been read yet.
    var rest: Substring { Substring(bytes) }

    /// The next byte, or `nil` at the end of the value.
    var next: UInt8? { bytes.first }

    /// Skips a character if it is the next one. Returns whether it was.
    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        bytes.removeFirst()
        return true
    }

    mutating func skipSpaces() {
        bytes = bytes.drop(while: HTTPSyntax.isWhitespace)
    }

    /// Reads the text before the first of the given ASCII characters, or up to the end of the value.
    mutating func text(before ends: String) -> Substring {
        let text = bytes.prefix { !ends.utf8.contains($0) }
        bytes = bytes[text.endIndex...]
        return Substring(text)
    }

    /// Skips the text before the next comma that isn't quoted (RFC 9110 §5.6.1).
    mutating func skipElement() {
        while let next, next != UInt8(ascii: ",") {
            if skip("\"") { _ = quotedString() } else { _ = text(before: ",\"") }
        }
    }

    /// Reads the rest of a quoted string, after its opening quote (RFC 9110 §5.6.4). If the closing quote is missing, the
    /// string extends to the end of the value (WHATWG Fetch, "collect an HTTP quoted string").
    mutating func quotedString() -> String {
        var text: [UInt8] = []
        while let byte = bytes.popFirst(), byte != UInt8(ascii: "\"") {
            text.append(byte == UInt8(ascii: "\\") ? bytes.popFirst() ?? byte : byte)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads the value of a parameter after its `=`. The value is a quoted string, or text without the surrounding
    /// spaces. Skips the text after a quoted string.
    mutating func parameterValue(before ends: String) -> String {
        skipSpaces()
        guard skip("\"") else { return String(text(before: ends).trimmingSpaces) }
        defer { _ = text(before: ends) }
        return quotedString()
    }

    /// Reads the rest of a field such as `Content-Disposition`. Returns its parameters by their lowercase names. If a
    /// name occurs several times, the first value counts. An element without `=`, such as the disposition's type, has
    /// an empty value.
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
