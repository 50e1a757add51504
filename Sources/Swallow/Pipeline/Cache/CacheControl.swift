/// What the caches need of a `Cache-Control` field (RFC 9111 §5.2).
struct CacheControl {
    private let directives: [String]

    init(_ field: String?) {
        directives = field.map(HTTPSyntax.elements) ?? []
    }

    var hasNoStore: Bool { has("no-store") }
    /// Whether the field has `no-cache`, for all fields of a response or for some.
    var hasNoCache: Bool { has("no-cache") }
    var hasMustRevalidate: Bool { has("must-revalidate") }

    /// How many seconds a response is fresh; 0 for what is no number (§4.2.1), nil where nothing is said.
    var maxAge: Int? {
        guard let directive = directives.first(where: { $0.hasPrefix("max-age=") }) else { return nil }
        return HTTPSyntax.seconds(directive.dropFirst(8).filter { $0 != "\"" }) ?? 0
    }

    private func has(_ name: String) -> Bool {
        directives.contains { $0 == name || $0.hasPrefix(name + "=") }
    }
}
