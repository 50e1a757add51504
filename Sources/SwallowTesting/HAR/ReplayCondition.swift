import Foundation
import Swallow

/// A condition that a request and a recorded request must meet for a replay of its response.
///
/// ```swift
/// service.dataSource = .replaying(
///     "fetchUser", matching: [.method, .path, .headers("Accept-Language"), .body])
/// ```
///
/// Both requests are compared after redaction, so secrets never make a difference.
public struct ReplayCondition: Sendable {
    /// Describes the difference briefly, or returns `nil` if there is none.
    let difference: @Sendable (_ recorded: ComparableRequest, _ sent: ComparableRequest) -> String?
    private(set) var readsBody = false

    /// The methods are equal.
    public static let method = ReplayCondition("method") { $0.method }

    /// The URLs are equal in scheme, host, port, path and query. The fragment doesn't count. The order of query items
    /// counts. Equivalent percent-encodings of the path and the items are equal (RFC 3986 §6.2.2).
    public static let url = ReplayCondition { recorded, sent in
        let parts = [origin, path, query].compactMap { $0.difference(recorded, sent) }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    /// The paths are equal. The host and the query don't count.
    public static let path = ReplayCondition("path") { $0.url.path }

    /// The queries are equal.
    public static let query = ReplayCondition("query") { $0.url.query }

    /// Returns a condition that these header fields have equal values, or are missing in both requests.
    public static func headers(_ names: Headers.Name...) -> ReplayCondition {
        ReplayCondition { recorded, sent in
            let parts = names.compactMap { name in
                ReplayCondition(name.rawValue) { $0.headers[name] ?? "none" }.difference(recorded, sent)
            }
            return parts.isEmpty ? nil : parts.joined(separator: ", ")
        }
    }

    /// The bodies are equal: they have the same JSON value, the same items of a form, or the same bytes. The order of a
    /// form's items counts, but their percent-encoding doesn't. A body that can be sent only once, and a body of more
    /// than 16 MB, counts as missing.
    public static let body = ReplayCondition(readsBody: true) { recorded, sent in
        let (left, right) = (recorded.body, sent.body)
        if left == right { return nil }
        if let form = recorded.form, form == sent.form { return nil }
        if let left = left.flatMap({ try? JSON(parsing: $0) }),
            let right = right.flatMap({ try? JSON(parsing: $0) }),
            left == right
        {
            return nil
        }
        return "body: recorded \(excerpt(left)), sent \(excerpt(right))"
    }

    /// Returns a condition that a closure returns true. If it returns false, the error message includes its name.
    public static func custom(
        _ name: String, _ matches: @escaping @Sendable (_ recorded: HAR.Request, _ sent: HAR.Request) -> Bool
    ) -> ReplayCondition {
        ReplayCondition(readsBody: true) {
            matches($0.request, $1.request) ? nil : "\(name): the condition returned false"
        }
    }

    private static let origin = ReplayCondition("host") { $0.url.origin }

    private init(
        readsBody: Bool = false,
        _ difference: @escaping @Sendable (ComparableRequest, ComparableRequest) -> String?
    ) {
        self.difference = difference
        self.readsBody = readsBody
    }

    private init(_ name: String, _ value: @escaping @Sendable (ComparableRequest) -> String) {
        difference = { recorded, sent in
            let (left, right) = (value(recorded), value(sent))
            return left == right ? nil : "\(name): recorded \(left), sent \(right)"
        }
    }

    private static func excerpt(_ data: Data?) -> String {
        guard let data else { return "none" }
        let text = String(decoding: data.prefix(80), as: UTF8.self)
        return data.count > 80 ? "\(text)…" : text.isEmpty ? "none" : text
    }
}

/// A request that is parsed once for all comparisons.
struct ComparableRequest: Sendable {
    let request: HAR.Request
    let method: String
    let url: ComparableURL
    let headers: Headers
    let body: Data?
    /// The items of a form body, encoded for comparison. `nil` for other bodies.
    let form: String?

    init(_ request: HAR.Request) {
        self.request = request
        method = request.method
        url = ComparableURL(request.url)
        headers = request.headers
        let body = request.postData?.data.flatMap { $0.isEmpty ? nil : $0 }
        self.body = body
        let text = request.postData?.isForm == true ? body.flatMap { String(data: $0, encoding: .utf8) } : nil
        form = text.map { HAR.Field.form($0).encoded }
    }

    var name: String { "\(method) \(request.url)" }
}

/// A URL, valid or not, in a form for comparisons.
struct ComparableURL: Sendable {
    let origin: String
    let path: String
    let query: String

    init(_ text: String) {
        let text = text.prefix { $0 != "#" }
        let location = text.prefix { $0 != "?" }
        let parts = location.wholeMatch(of: /([A-Za-z][A-Za-z0-9+.-]*):\/\/([^\/]*)(.*)/)
        let scheme = parts?.1.lowercased() ?? ""
        // The user info isn't part of the origin.
        var authority = parts?.2.split(separator: "@").last?.lowercased() ?? ""
        let port = scheme == "https" ? ":443" : ":80"
        if authority.hasSuffix(port) { authority.removeLast(port.count) }
        origin = "\(scheme)://\(authority)"
        let path = String(parts?.3 ?? location)
        self.path = path.isEmpty ? "/" : Self.normalized(path)
        query = HAR.Field.query(of: String(text)).encoded
    }

    /// Encodes only the characters that require it.
    private static func normalized(_ path: String) -> String {
        let pieces = path.split(separator: "%", omittingEmptySubsequences: false)
        let first = escapingIllegal(pieces.first ?? "")
        return pieces.dropFirst().reduce(first) { text, piece in
            let digits = piece.utf8.prefix(2)
            guard digits.count == 2, let byte = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            else {
                return "\(text)%25\(escapingIllegal(piece))"
            }
            let character = String(UnicodeScalar(byte))
            let isUnreserved = byte < 0x80 && HAR.PostData.escaped(character) == character
            let rest = Substring(piece.utf8.dropFirst(2))
            return text + (isUnreserved ? character : "%\(piece.prefix(2).uppercased())")
                + escapingIllegal(rest)
        }
    }

    private static func escapingIllegal(_ text: Substring) -> String {
        text.addingPercentEncoding(withAllowedCharacters: legal) ?? String(text)
    }

    /// The characters that a path may contain (RFC 3986 §3.3).
    private static let legal = HAR.PostData.unreserved.union(CharacterSet(charactersIn: "/:@!$&'()*+,;="))
}

extension Headers {
    /// Omits the pseudo-header fields of HTTP/2 (RFC 9113 §8.3). Each line of a value becomes a field.
    init(_ fields: [HAR.Field]) {
        self.init()
        for field in fields where !field.name.hasPrefix(":") {
            for value in field.value.split(whereSeparator: \.isNewline) {
                append(String(value), for: Name(field.name))
            }
            if field.value.isEmpty { append("", for: Name(field.name)) }
        }
    }
}
