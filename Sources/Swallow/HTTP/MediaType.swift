/// A parsed `Content-Type` (RFC 9110 §8.3.1, WHATWG MIME Sniffing §4.4).
package struct MediaType: Sendable {
    package private(set) var name = ""
    package private(set) var charset: String?

    /// Reads the last valid media type. If it has no charset, an equal type before it may provide one (WHATWG Fetch).
    package init(_ field: String) {
        var inherited: String?
        for part in HTTPSyntax.parts(of: field) {
            guard let (name, charset) = Self.read(part), name != "*/*" else { continue }
            if name != self.name { inherited = charset }
            (self.name, self.charset) = (name, charset ?? inherited)
        }
        if name.isEmpty {
            name = Substring(field.utf8.prefix { $0 != UInt8(ascii: ";") }).trimmingSpaces.lowercased()
        }
    }

    private static func read(_ text: Substring) -> (name: String, charset: String?)? {
        var scanner = FieldScanner(text)
        scanner.skipSpaces()
        let type = scanner.text(before: "/;")
        guard HTTPSyntax.isToken(type), scanner.skip("/") else { return nil }
        let rest = scanner.text(before: ";")
        let subtype = rest.trimming(HTTPSyntax.isWhitespace)
        // Whitespace may follow the subtype, but not the slash.
        guard HTTPSyntax.isToken(subtype), rest.startIndex == subtype.startIndex else { return nil }
        return ("\(type)/\(subtype)".lowercased(), charset(&scanner))
    }

    private static func charset(_ scanner: inout FieldScanner) -> String? {
        while scanner.skip(";") {
            scanner.skipSpaces()
            let name = scanner.text(before: ";=")
            guard scanner.skip("=") else { continue }
            let isQuoted = scanner.skip("\"")
            let value = isQuoted ? scanner.quotedString() : ""
            let rest = scanner.text(before: ";").trimming(HTTPSyntax.isWhitespace)
            guard name.lowercased() == "charset", isQuoted || !rest.isEmpty else { continue }
            let charset = isQuoted ? value[...] : rest
            guard charset.unicodeScalars.allSatisfy(isLegal) else { continue }
            return String(charset.trimming(HTTPSyntax.isWhitespace))
        }
        return nil
    }

    /// Returns whether a scalar may be in a quoted string (RFC 9110 §5.6.4).
    private static func isLegal(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x20...0x7E, 0x80...0xFF: true
        default: false
        }
    }

    package var isJSON: Bool { name.hasSuffix("/json") || name.hasSuffix("+json") }
    var isText: Bool { name.hasPrefix("text/") }
    var isImage: Bool { name.hasPrefix("image/") }
}

/// A pattern for media types. `*` matches any text without `/` and `+`.
struct ContentTypePattern: Sendable {
    private let glob: Glob

    init(_ text: String) {
        glob = Glob(MediaType(text).name[...], separators: "/+", crossesSegments: false)
    }

    func matches(_ name: String) -> Bool { glob.matches(name[...]) }
}
