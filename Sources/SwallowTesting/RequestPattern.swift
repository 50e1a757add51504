import Foundation
import Swallow

struct RequestPattern: Sendable, CustomStringConvertible {
    let method: Request.Method
    let path: URLPattern
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
            QueryItem.items(of: path.query).map { (name: $0.name, value: $0.value ?? "") }
            + query.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
        self.headers = headers
        self.body = body
    }

    /// The parts of a request in the order in which they are compared.
    enum Part: Comparable, Sendable { case method, path, query, headers, body }

    func matches(_ request: URLRequest) -> Bool { firstMiss(in: request) == nil }

    /// Returns the first part that doesn't match, or `nil` if all match. Later parts aren't compared.
    func firstMiss(in request: URLRequest) -> Part? {
        if request.httpMethod ?? "GET" != method.rawValue { return .method }
        guard let url = request.url, path.matchesEnd(of: url) else { return .path }
        if !matchesQuery(of: url) { return .query }
        if !matchesHeaders(of: request) { return .headers }
        return matchesBody(of: request) ? nil : .body
    }

    private func matchesQuery(of url: URL) -> Bool {
        if query.isEmpty { return true }
        let items = QueryItem.items(of: url)
        return query.allSatisfy { Self.contains(items, $0) }
    }

    private static func contains(_ items: [QueryItem], _ wanted: (name: String, value: String)) -> Bool {
        items.contains { $0.name == wanted.name && $0.value ?? "" == wanted.value }
    }

    private func matchesHeaders(of request: URLRequest) -> Bool {
        headers.allSatisfy { name, _ in request.value(forHTTPHeaderField: name.rawValue) == headers[name] }
    }

    private func matchesBody(of request: URLRequest) -> Bool {
        guard let body else { return true }
        do { return try body(request.httpBody ?? Data()) } catch { return false }
    }

    /// Describes the differences. `miss` is the first part that differs. A closure for the body isn't called again.
    func differences(from request: URLRequest, after miss: Part) -> [String] {
        let sentMethod = request.httpMethod ?? "GET"
        var list = sentMethod == method.rawValue ? [] : ["method: stubbed \(method), sent \(sentMethod)"]
        guard let url = request.url else { return list + ["the request has no URL"] }
        if miss == .path || miss < .path && !path.matchesEnd(of: url) {
            list.append("path: sent \(url.path(percentEncoded: true))")
        }
        let items = QueryItem.items(of: url)
        for item in query where !Self.contains(items, item) {
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
        let isBodyMatching = miss != .body && matchesBody(of: request)
        return isBodyMatching ? list : list + ["the body doesn't match"]
    }

    /// Returns whether the patterns are equal. `false` if a pattern has a closure, because closures can't be compared.
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
        if body != nil { conditions.append("a specific body") }
        return conditions.isEmpty ? text : "\(text) with \(conditions.joined(separator: ", "))"
    }
}
