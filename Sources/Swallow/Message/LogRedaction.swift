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

    /// The text that stands in a secret's place.
    package static let placeholder = "<redacted>"

    /// What a service has by default: `Authorization`, `Proxy-Authorization`, `Cookie`, `Set-Cookie`, `X-Api-Key`,
    /// `X-Auth-Token`, `access_token`, `accessToken`, `api_key`, `apikey`, `client_assertion`, `client_secret`,
    /// `clientSecret`, `id_token`, `idToken`, `password`, `refresh_token`, `refreshToken`, `secret`, `signature` and
    /// `token`.
    public static let standard = LogRedaction(names: [
        "Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "X-Api-Key", "X-Auth-Token",
        "access_token", "accessToken", "api_key", "apikey", "client_assertion", "client_secret",
        "clientSecret",
        "id_token", "idToken", "password", "refresh_token", "refreshToken", "secret", "signature", "token",
    ])

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
        var scanner = LogRedactionScanner(text, isURL: false)
        return scanner.text(redacting: isSecretItem)
    }

    /// The same URL, valid or not, without its secrets.
    package func redactedURL(_ url: String) -> String {
        var scanner = LogRedactionScanner(url, isURL: true)
        return scanner.text(redacting: isSecretItem)
    }

    /// The same text, without the values of members with secret names where JSON is in it, whole or not.
    package func redactedMembers(_ text: String) -> String {
        var (kept, rest) = ("", text[...])
        while let member = rest.firstMatch(of: /("(?:[^"\\]|\\.)*")\s*:\s*/) {
            kept += rest[..<member.range.upperBound]
            rest = rest[member.range.upperBound...]
            // A name may have escapes.
            guard let name = try? JSON(parsing: Data(member.1.utf8)).string, isSecretItem(name) else {
                continue
            }
            kept += "\"\(Self.placeholder)\""
            // Of what is no plain value, nobody knows where it ends.
            let value = rest.prefixMatch(of: /"(?:[^"\\]|\\.)*"|[^"{\[,}\]\s]+/)
            rest = value.map { rest[$0.range.upperBound...] } ?? ""
        }
        return kept + rest
    }

    /// The same JSON, without the values of members whose names are secret.
    func redacted(_ json: JSON) -> JSON {
        if json.array != nil { return .array(json.elements.map(redacted)) }
        if json.object == nil { return json }
        return .object(
            json.members.map { name, value in
                (name, isSecretItem(name) ? .string(Self.placeholder) : redacted(value))
            })
    }

    /// Whether the value of a query item, or of a JSON object's member, of this name is secret.
    package func isSecretItem(_ name: String) -> Bool {
        let name = name.replacing("+", with: " ")
        let parts = [name] + name.split { $0 == "[" || $0 == "]" }.map(String.init)
        return parts.contains { part in
            names.contains(Headers.Name(part.trimmingCharacters(in: .whitespacesAndNewlines)))
        }
    }
}
