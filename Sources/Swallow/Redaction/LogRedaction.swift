/// Decides which values are secret, and removes them from logs, errors, cURL commands and recordings.
///
/// ```swift
/// service.logRedaction = .standard.adding(["X-Device", "pin"])
/// ```
///
/// The words in a name decide whether its value is secret. See <doc:LogAndTimeline#Secrets> for the rules. They apply to
/// header fields, queries, forms and JSON. The user and the password of a URL are always removed. Names of stages, paths
/// of URLs, and texts of an app's own errors stay as they are, except for the URLs in these texts.
public struct LogRedaction: Sendable, Hashable {
    /// The secret names besides those that ``SecretWords`` decides about: their words, joined.
    private var names: Set<String>
    private var isStandard = false

    /// The text that replaces a secret value.
    package static let placeholder = "<redacted>"

    /// The rules that a service has by default.
    public static let standard: LogRedaction = {
        var standard = LogRedaction(names: ["device_code"])
        standard.isStandard = true
        return standard
    }()

    /// Creates a redaction of these names only.
    ///
    /// - Parameter names: The names. Case and separators don't matter, so `card-number` also means `cardNumber`.
    public init(names: some Sequence<String>) {
        self.names = Set(names.map { SecretWords.words(in: $0).joined() })
    }

    /// Returns this redaction with further secret names.
    ///
    /// - Parameter names: The names. Case and separators don't matter, so `card-number` also means `cardNumber`.
    public func adding(_ names: some Sequence<String>) -> LogRedaction {
        var redaction = self
        redaction.names.formUnion(names.map { SecretWords.words(in: $0).joined() })
        return redaction
    }

    /// Whether the value of this name is secret.
    ///
    /// - Parameter isMember: Whether it is the name of a member in JSON, in which `key` alone, for example, isn't secret.
    package func isSecret(_ name: String, isMember: Bool = false) -> Bool {
        let words = SecretWords.words(in: name)
        if names.contains(words.joined()) { return true }
        if isStandard {
            if SecretWords.areSecret(words, isMember: isMember) { return true }
            // Header names ignore case, as in `cOOkie`.
            let lowercased = SecretWords.words(in: name.lowercased())
            if lowercased != words, SecretWords.areSecret(lowercased, isMember: isMember) { return true }
        }
        let parts = SecretWords.parts(of: name)
        return parts.count > 1 && parts.contains { names.contains(SecretWords.words(in: $0).joined()) }
    }

    /// Returns the redaction for the items of one query, form or object. A `code` is secret beside a `grant_type` (RFC 6749
    /// §4.1.3).
    package func forItems(_ names: some Sequence<String>) -> LogRedaction {
        isStandard && names.contains("grant_type") ? adding(["code"]) : self
    }

    /// Returns the header fields without the secrets in their values.
    package func redacted(_ headers: Headers) -> Headers {
        var redacted = Headers()
        for (name, value) in headers {
            redacted.append(isSecret(name.rawValue) ? Self.placeholder : self.redacted(value), for: name)
        }
        return redacted
    }

    /// Returns a URL, valid or not, without its secrets.
    package func redactedURL(_ url: String, placeholder: String = placeholder) -> String {
        URLRedaction(names: self, placeholder: placeholder).redacted(url: url)
    }

    /// Returns a text, such as that of an error, without its secrets. The text may be JSON or contain URLs.
    package func redacted(_ text: String) -> String { redacted(text, hidesBareUsers: true) }

    /// How many layers of encoding are decoded, such as a URL in a query, or JSON in a string of JSON. Text with more layers
    /// is redacted completely.
    static let greatestDepth = 2

    /// - Parameters:
    ///   - hidesBareUsers: Whether `user:password@host` without `//` loses its user.
    ///   - depth: The number of layers of encoding around the text.
    func redacted(_ text: String, hidesBareUsers: Bool, depth: Int = 0) -> String {
        let first = text.utf8.first { $0 > UInt8(ascii: " ") } ?? 0
        if "{[\"".utf8.contains(first) {
            guard let json = try? JSON(parsing: text) else {
                return Self.hasMember(text) ? Self.placeholder : redactedURLs(in: text, hidesBareUsers, depth)
            }
            if json.count > 0 {
                if depth == Self.greatestDepth { return Self.placeholder }
                return JSONRedaction.text(of: json, self, depth: depth + 1) ?? text
            }
        }
        return redactedURLs(in: text, hidesBareUsers, depth)
    }

    /// Whether a text has a member of JSON, with or without whitespace before the colon. The JSON may be incomplete.
    static func hasMember(_ text: String) -> Bool {
        var followsQuote = false
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): followsQuote = true
            case UInt8(ascii: ":") where followsQuote: return true
            case 0...UInt8(ascii: " "): break
            default: followsQuote = false
            }
        }
        return false
    }

    private func redactedURLs(in text: String, _ hidesBareUsers: Bool, _ depth: Int) -> String {
        URLRedaction(names: self, hidesBareUsers: hidesBareUsers, depth: depth).redacted(text: text)
    }
}
