import Foundation
import Swallow

/// A condition for replaying a recorded response. It compares the request with the recorded request.
///
/// ```swift
/// service.dataSource = .replaying(
///     "fetchUser", matching: [.method, .path, .headers("Accept-Language"), .body])
/// ```
///
/// Secrets are removed from both requests first, so their values make no difference.
public struct ReplayCondition: Sendable {
    let difference: @Sendable (_ recorded: ComparableRequest, _ sent: ComparableRequest) -> String?
    private(set) var readsBody = false

    /// Both requests have the same method.
    public static let method = ReplayCondition("method") { $0.method }

    /// Both URLs have the same scheme, host, port and path, and the same query items in the same order. The fragment
    /// doesn't matter. Equivalent percent-encodings are equal (RFC 3986 §6.2.2).
    public static let url = all([origin, path, query])

    /// Both URLs have the same path. The host and the query don't matter.
    public static let path = ReplayCondition("path") { $0.url.path }

    /// Both URLs have the same query items, in the same order.
    public static let query = ReplayCondition("query") { $0.url.query }

    /// Returns a condition that each of these header fields has the same value in both requests, or is missing in both.
    public static func headers(_ names: Headers.Name...) -> ReplayCondition {
        all(names.map { name in ReplayCondition(name.rawValue) { $0.headers[name] } })
    }

    /// Both bodies have the same bytes, the same JSON value, or the same form items in the same order. A streamed body
    /// that can be sent only once or exceeds 16 MiB counts as missing.
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

    /// Returns a condition that is met if a closure returns `true`. Errors describe the condition with `name`.
    public static func custom(
        _ name: String, _ matches: @escaping @Sendable (_ recorded: HAR.Request, _ sent: HAR.Request) -> Bool
    ) -> ReplayCondition {
        ReplayCondition(readsBody: true) {
            matches($0.request, $1.request) ? nil : "\(name): the condition returned false"
        }
    }

    private static let origin = ReplayCondition("host") { $0.url.origin }

    private static func all(_ conditions: [ReplayCondition]) -> ReplayCondition {
        ReplayCondition { recorded, sent in
            let differences = conditions.compactMap { $0.difference(recorded, sent) }
            return differences.isEmpty ? nil : differences.joined(separator: ", ")
        }
    }

    private init(
        readsBody: Bool = false,
        _ difference: @escaping @Sendable (ComparableRequest, ComparableRequest) -> String?
    ) {
        self.difference = difference
        self.readsBody = readsBody
    }

    private init(_ name: String, _ value: @escaping @Sendable (ComparableRequest) -> String?) {
        difference = { recorded, sent in
            let (left, right) = (value(recorded), value(sent))
            if left == right { return nil }
            return "\(name): recorded \(left ?? "nothing"), sent \(right ?? "nothing")"
        }
    }

    private static func excerpt(_ data: Data?) -> String {
        guard let data else { return "none" }
        let text = String(decoding: data.prefix(80), as: UTF8.self)
        return data.count > 80 ? "\(text)…" : text.isEmpty ? "none" : text
    }
}

struct ComparableRequest: Sendable {
    let request: HAR.Request
    let method: String
    let url: ComparableURL
    let headers: Headers
    let body: Data?
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

struct ComparableURL: Sendable {
    let origin: String
    let path: String
    let query: String

    init(_ text: String) {
        let text = text.prefix { $0 != "#" }
        let location = text.prefix { $0 != "?" }
        let parts = location.wholeMatch(of: /([A-Za-z][A-Za-z0-9+.-]*):\/\/([^\/]*)(.*)/)
        let scheme = parts?.1.lowercased() ?? ""
        var authority = parts?.2.split(separator: "@").last?.lowercased() ?? ""
        let port = scheme == "https" ? ":443" : ":80"
        if authority.hasSuffix(port) { authority.removeLast(port.count) }
        origin = "\(scheme)://\(authority)"
        let path = String(parts?.3 ?? location)
        self.path = path.isEmpty ? "/" : Self.normalized(path)
        query = HAR.Field.query(of: String(text)).encoded
    }

    /// Escapes illegal characters, and decodes unnecessary escapes (RFC 3986 §6.2.2).
    private static func normalized(_ path: String) -> String {
        PercentEncoding.repair(path).replacing(/%[0-9A-Fa-f]{2}/) { escape in
            let character = escape.output.removingPercentEncoding ?? ""
            let isUnreserved = !character.isEmpty && PercentEncoding.encode(character) == character
            return isUnreserved ? character : escape.output.uppercased()
        }
    }
}

extension Headers {
    /// Omits the pseudo-header fields of HTTP/2 (RFC 9113 §8.3). Each line of a value becomes a field.
    init(_ fields: [HAR.Field]) {
        self.init()
        for field in fields where !field.name.hasPrefix(":") {
            for value in field.value.split(whereSeparator: { $0 == "\n" || $0 == "\r" || $0 == "\r\n" }) {
                append(String(value), for: Name(field.name))
            }
            if field.value.isEmpty { append("", for: Name(field.name)) }
        }
    }
}
