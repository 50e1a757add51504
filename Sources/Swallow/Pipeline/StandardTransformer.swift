/// A parser that a service applies to responses unless it is told otherwise.
public struct StandardTransformer: Hashable, Sendable {
    private let name: String

    /// Takes `*/json` and `*/*+json` to ``JSON`` (RFC 8259), also on error responses.
    public static let json = StandardTransformer(name: "json")

    /// Takes `text/*` to `String` by the charset given, else UTF-8, else ISO-8859-1.
    public static let text = StandardTransformer(name: "text")
}
