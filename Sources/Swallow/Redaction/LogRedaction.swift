import Foundation

/// The rules that decide which values are secret in logs, errors, cURL commands and recordings.
///
/// ```swift
/// service.logRedaction = .standard.adding(["X-Device", "pin"])
/// ```
///
/// See <doc:Logging#Secrets> for the rules. They also remove the user and the password of a URL. Don't put secrets
/// into stage names, URL paths and error texts, because not all of them would be recognized.
public struct LogRedaction: Sendable, Hashable {
    private var names: Set<String>
    private(set) var isStandard = false

    package static let placeholder = "<redacted>"

    /// The rules that a service has by default.
    public static let standard: LogRedaction = {
        var standard = LogRedaction(names: ["device_code"])
        standard.isStandard = true
        return standard
    }()

    /// Creates rules with only these secret names. Case and separators don't matter, so `a-pin` matches `aPin`.
    public init(names: some Sequence<String>) {
        self.names = Set(names.map(Self.key))
    }

    /// Returns these rules with more secret names. Case and separators don't matter.
    public func adding(_ names: some Sequence<String>) -> LogRedaction {
        var redaction = self
        redaction.names.formUnion(names.map(Self.key))
        return redaction
    }

    private static func key(_ name: some StringProtocol) -> String {
        name.lowercased().filter { $0.isLetter || $0.isNumber }
    }

    package func isSecret(_ name: String, isMember: Bool = false) -> Bool {
        let spellings = isStandard ? [name, name.lowercased()] : []
        if spellings.contains(where: { SecretWords.areSecret(in: $0, isMember: isMember) }) { return true }
        let parts = name.utf8.split { ".[]".utf8.contains($0) }
        return names.contains(Self.key(name))
            || parts.count > 1 && parts.contains { names.contains(Self.key(Substring($0))) }
    }

    /// Returns the rules for a query or form. The standard rules hide `code` beside a `grant_type` (RFC 6749 §4.1.3).
    package func forItems(besideGrantType isGrant: Bool) -> LogRedaction {
        isStandard && isGrant ? adding(["code"]) : self
    }

    package func redacted(_ headers: Headers) -> Headers {
        headers.reduce(into: Headers()) {
            $0.append(isSecret($1.name.rawValue) ? Self.placeholder : redacted($1.value), for: $1.name)
        }
    }

    package func redactedURL(_ url: String) -> String {
        Redactor(self, hidesBareUsers: true).redacted(url: url.utf8[...])
    }

    package func redacted(_ text: String) -> String {
        Redactor(self, hidesBareUsers: true).redacted(text: text)
    }

    /// Returns a body's redacted text, cut after `limit` bytes. `nil` for an empty body or a type that isn't logged.
    package func text(ofBody body: Data, contentType: String, limit: Int) -> String? {
        let bytes = body.isEmpty ? nil : Redactor(self).redacted(body, contentType: contentType)
        guard let bytes else { return nil }
        return bytes.text(upTo: limit) + (bytes.count > limit ? "…" : "")
    }
}
