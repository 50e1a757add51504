/// What the caches need of a `Cache-Control` field (RFC 9111 §5.2).
enum CacheControl {
    static func hasNoStore(_ field: String?) -> Bool {
        field.map { elements(of: $0).contains("no-store") } ?? false
    }

    /// The elements of a field that is a list (RFC 9110 §5.6.1), in lower case.
    static func elements(of field: String) -> [String] {
        field.split(separator: ",").map { trimmed($0).lowercased() }.filter { !$0.isEmpty }
    }

    /// A field's value without the white space around it (RFC 9110 §5.5).
    static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
