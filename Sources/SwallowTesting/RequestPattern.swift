import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What a request must have for a stub to answer it.
struct RequestPattern: Sendable, CustomStringConvertible {
    let method: Request.Method
    let path: URLPattern
    /// Names and values, percent-decoded.
    let query: [(name: String, value: String)]
    let headers: Headers
    let body: (@Sendable (Data) throws -> Bool)?

    init(
        method: Request.Method, path: URLPattern, query: [String: String], headers: Headers,
        body: (@Sendable (Data) throws -> Bool)?
    ) {
        self.method = method
        self.path = path
        self.query =
            Self.items(of: path.query)
            + query.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
        self.headers = headers
        self.body = body
    }

    private static func items(of query: String) -> [(name: String, value: String)] {
        query.split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let decoded = parts.map { $0.removingPercentEncoding ?? String($0) }
            return (decoded.first ?? "", decoded.count > 1 ? decoded[1] : "")
        }
    }

    /// Whether the request is meant; what is cheap to compare is compared first.
    func matches(_ request: URLRequest) -> Bool {
        guard request.httpMethod ?? "GET" == method.rawValue, let url = request.url, path.matchesEnd(of: url)
        else { return false }
        return matchesQuery(of: url) && matchesHeaders(of: request) && matchesBody(of: request)
    }

    private func matchesQuery(of url: URL) -> Bool {
        if query.isEmpty { return true }
        let items = URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems ?? []
        return query.allSatisfy { Self.holds(items, $0) }
    }

    private static func holds(_ items: [URLQueryItem], _ wanted: (name: String, value: String)) -> Bool {
        items.contains { $0.name == wanted.name && $0.value ?? "" == wanted.value }
    }

    private func matchesHeaders(of request: URLRequest) -> Bool {
        headers.allSatisfy { name, _ in request.value(forHTTPHeaderField: name.rawValue) == headers[name] }
    }

    private func matchesBody(of request: URLRequest) -> Bool {
        guard let body else { return true }
        do { return try body(request.httpBody ?? Data()) } catch { return false }
    }

    /// What keeps the request from being meant, each in a few words.
    func differences(from request: URLRequest) -> [String] {
        let sentMethod = request.httpMethod ?? "GET"
        var list = sentMethod == method.rawValue ? [] : ["method: stubbed \(method), sent \(sentMethod)"]
        guard let url = request.url else { return list + ["the request has no URL"] }
        if !path.matchesEnd(of: url) { list.append("path: sent \(url.path(percentEncoded: true))") }
        let items = URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems ?? []
        for item in query where !Self.holds(items, item) {
            let sent = items.filter { $0.name == item.name }.map { $0.value ?? "" }
            list.append("\(item.name): sent \(sent.isEmpty ? "none" : sent.joined(separator: ", "))")
        }
        var names: [Headers.Name] = []
        for (name, _) in headers where !names.contains(name) {
            names.append(name)
            let sent = request.value(forHTTPHeaderField: name.rawValue)
            let shown = sent.flatMap { LogRedaction.standard.redacted([name: $0])[name] }
            if sent != headers[name] { list.append("\(name): sent \(shown ?? "none")") }
        }
        return matchesBody(of: request) ? list : list + ["its body isn't meant"]
    }

    /// Whether it means the same requests, as far as that can be told: of closures it can't.
    func isSame(as other: RequestPattern) -> Bool {
        func items(_ pattern: RequestPattern) -> [String] {
            pattern.query.map { "\($0.name)=\($0.value)" }.sorted()
        }
        return method == other.method && path.isSame(as: other.path) && items(self) == items(other)
            && headers == other.headers && body == nil && other.body == nil
    }

    var description: String {
        var text = "\(method) \(path.description.prefix { $0 != "?" })"
        if !query.isEmpty { text += "?" + query.map { "\($0.name)=\($0.value)" }.joined(separator: "&") }
        var conditions = headers.map { "\($0.name): \($0.value)" }
        if body != nil { conditions.append("a certain body") }
        return conditions.isEmpty ? text : "\(text) with \(conditions.joined(separator: ", "))"
    }
}
