/// The directives of a `Cache-Control` field (RFC 9111 §5.2).
///
/// A list whose elements may hold quoted strings (RFC 9110 §5.6.1, §5.6.4). What isn't legal counts as given, but without a
/// value: a number that is none has nothing kept or used for longer.
struct CacheControl: Sendable {
    private struct Directive: Sendable {
        let name: String
        /// Without its quotes; nil where there is none.
        let argument: String?
    }

    private let directives: [Directive]

    init(_ field: String?) {
        directives = field.map { HTTPSyntax.parts(of: $0).compactMap(Self.directive) } ?? []
    }

    var isEmpty: Bool { directives.isEmpty }

    /// Whether there is a directive, with a value or without.
    func has(_ name: String) -> Bool { directives.contains { $0.name == name } }

    /// The value of a directive in seconds: 0 for what is no number (§4.2.1), and the least where there are several; nil where
    /// nothing is said.
    func seconds(_ name: String) -> Int? {
        directives.lazy.filter { $0.name == name }
            .map { $0.argument.flatMap { HTTPSyntax.seconds($0) } ?? 0 }.min()
    }

    /// Whether a directive stands alone, without a value.
    func isBare(_ name: String) -> Bool { directives.contains { $0.name == name && $0.argument == nil } }

    private static func directive(_ element: Substring) -> Directive? {
        let text = element.trimmingSpaces
        if text.utf8.isEmpty { return nil }
        guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) else {
            return Directive(name: text.lowercased(), argument: nil)
        }
        let (name, value) = (text[..<equals], text[text.utf8.index(after: equals)...])
        // There is no white space around the sign.
        let isLegal =
            name.utf8.last.map(HTTPSyntax.isSpace) == false
            && value.utf8.first.map(HTTPSyntax.isSpace) == false
        return Directive(name: name.trimmingSpaces.lowercased(), argument: isLegal ? unquoted(value) : "")
    }

    /// A value without its quotes; empty for a string that doesn't end where it should.
    private static func unquoted(_ value: Substring) -> String {
        guard value.utf8.first == UInt8(ascii: "\"") else { return String(value) }
        var bytes: [UInt8] = []
        var rest = value.utf8.dropFirst()
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") {
                return rest.isEmpty ? String(decoding: bytes, as: UTF8.self) : ""
            }
            if byte == UInt8(ascii: "\\"), let next = rest.popFirst() {
                bytes.append(next)
            } else {
                bytes.append(byte)
            }
        }
        return ""
    }
}
