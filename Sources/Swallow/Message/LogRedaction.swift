import Foundation

/// Which header fields and query items are secret, so that their values get neither into a log nor into the text of an
/// error.
///
/// ```swift
/// service.logRedaction = .standard.adding(["X-Session", "pin"])
/// ```
///
/// Names are compared without case. They hold for header fields and for the `name=value` items of URLs: those
/// of requests, those in other header fields' values, such as `Location`, and those in the texts of errors. A
/// query item is also secret where a part of its name is, as in `user[password]=…` and `token[]=…`, where there are
/// spaces around its name, and within another item's value, as in `next=%2F%3Ftoken%3D…`. The user
/// and password of a URL are always taken out, also where its scheme is missing.
///
/// What an app puts into the names of its stages, the paths of its URLs, and the texts of its own errors
/// beyond URLs goes into the log as it is.
public struct LogRedaction: Sendable, Hashable {
    private var names: Set<Headers.Name>
    /// Whether `code` is secret beside `grant_type`.
    private var hidesCodes = false

    /// The text that stands in a secret's place.
    package static let placeholder = "<redacted>"

    /// What a service has by default: `Authorization`, `Proxy-Authorization`, `Cookie`, `Set-Cookie`,
    /// `X-Amz-Security-Token`, `X-Amz-Signature`, `X-Api-Key`, `X-Auth-Token`, `X-CSRF-Token`, `X-Goog-Signature`,
    /// `access_token`, `access-token`, `accessToken`, `actor_token`, `api_key`, `apikey`, `assertion`, `client_assertion`,
    /// `client_secret`, `clientSecret`, `code_verifier`, `current_password`, `device_code`, `id_token`, `idToken`, `jwt`,
    /// `new_password`, `otp`, `passphrase`, `passwd`, `password`, `password_confirmation`, `refresh_token`, `refreshToken`,
    /// `secret`, `sig`, `signature`, `subject_token` and `token`; and `code` among items of which one is `grant_type` (RFC
    /// 6749 §4.1.3).
    public static let standard: LogRedaction = {
        var standard = LogRedaction(names: [
            "Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie",
            "X-Amz-Security-Token", "X-Amz-Signature", "X-Api-Key", "X-Auth-Token", "X-CSRF-Token",
            "X-Goog-Signature", "access_token", "access-token", "accessToken", "actor_token", "api_key",
            "apikey", "assertion", "client_assertion", "client_secret", "clientSecret", "code_verifier",
            "current_password", "device_code", "id_token", "idToken", "jwt", "new_password", "otp",
            "passphrase", "passwd", "password", "password_confirmation", "refresh_token", "refreshToken",
            "secret", "sig", "signature", "subject_token", "token",
        ])
        standard.hidesCodes = true
        return standard
    }()

    /// Makes a redaction of these names and no others.
    public init(names: some Sequence<String>) {
        self.names = Set(names.map { Headers.Name($0) })
    }

    /// The same redaction with more names.
    public func adding(_ names: some Sequence<String>) -> LogRedaction {
        var redaction = self
        redaction.names.formUnion(names.map { Headers.Name($0) })
        return redaction
    }

    /// The same fields, without the secrets in their values.
    package func redacted(_ headers: Headers) -> Headers {
        var redacted = Headers()
        for (name, value) in headers {
            redacted.append(names.contains(name) ? Self.placeholder : self.redacted(value), for: name)
        }
        return redacted
    }

    /// The same text, without the secrets of the URLs in it.
    package func redacted(_ text: String) -> String {
        var scanner = LogRedactionScanner(Array(text.utf8), self, .text)
        return scanner.redacted().map { String(decoding: $0, as: UTF8.self) } ?? text
    }

    /// The same URL, valid or not, without its secrets.
    package func redactedURL(_ url: String) -> String {
        var scanner = LogRedactionScanner(Array(url.utf8), self, .url)
        return scanner.redacted().map { String(decoding: $0, as: UTF8.self) } ?? url
    }

    /// The same text, without the values of members with secret names. JSON may be all of it or stand somewhere in it, whole
    /// or cut off, also within a string of other JSON.
    package func redactedMembers(_ text: String) -> String {
        redactedMembers(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) } ?? text
    }

    /// The same for bytes, in a charset that has ASCII in it; nil where nothing is secret.
    package func redactedMembers(_ bytes: [UInt8]) -> [UInt8]? {
        var scanner = LogRedactionMemberScanner(bytes, self)
        return scanner.redacted()
    }

    /// The bytes of a body without the secrets of the URLs and the `name=value` items in them, line by line; nil where
    /// nothing is secret.
    package func redactedBody(_ bytes: [UInt8]) -> [UInt8]? {
        var scanner = LogRedactionScanner(bytes, self, .body)
        return scanner.redacted()
    }

    /// The same JSON, without the values of members whose names are secret.
    func redacted(_ json: JSON) -> JSON {
        if json.kind == .array { return .array(json.elements.map(redacted)) }
        if json.kind != .object { return json }
        let redaction = forItems(json.members.lazy.map(\.key))
        return .object(
            json.members.map { name, value in
                (name, redaction.isSecretItem(name) ? .string(Self.placeholder) : redacted(value))
            })
    }
}

// MARK: - Names

extension LogRedaction {
    /// Whether the value of a query item, or of a JSON object's member, of this name is secret.
    package func isSecretItem(_ name: String) -> Bool {
        if names.contains(Headers.Name(name)) { return true }
        // A name without parts takes 0.1 µs here, instead of 3 µs below.
        guard name.utf8.contains(where: Self.separatesParts) else { return false }
        let name = name.replacing("+", with: " ")
        let parts = [name] + name.split { $0 == "[" || $0 == "]" }.map(String.init)
        return parts.contains { part in
            names.contains(Headers.Name(part.trimmingCharacters(in: .whitespacesAndNewlines)))
        }
    }

    private static func separatesParts(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "+"), UInt8(ascii: "["), UInt8(ascii: "]"), 0...0x20, 0x80...: true
        default: false
        }
    }

    /// Whether an item is the `code` of a token request, which is secret.
    func isCode(_ name: String) -> Bool { hidesCodes && name == "code" }

    /// The redaction for the items of one query, form or object: whether `code` is secret depends on the other names.
    package func forItems(_ names: some Sequence<String>) -> LogRedaction {
        hidesCodes && names.contains("grant_type") ? adding(["code"]) : self
    }

    /// Whether a text holds `grant_type`, which only token requests have.
    static func holdsGrantType(_ bytes: [UInt8]) -> Bool {
        let name = Array("grant_type".utf8)
        return bytes.indices.contains { bytes[$0] == name[0] && bytes[$0...].starts(with: name) }
    }
}
