/// What the caches need of a `Cache-Control` field (RFC 9111 §5.2).
enum CacheControl {
    static func hasNoStore(_ field: String?) -> Bool {
        field.map { HTTPSyntax.elements(of: $0).contains("no-store") } ?? false
    }
}
