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
        return query.allSatisfy { name, value in
            items.contains { $0.name == name && $0.value ?? "" == value }
        }
    }

    private func matchesHeaders(of request: URLRequest) -> Bool {
        headers.allSatisfy { name, _ in request.value(forHTTPHeaderField: name.rawValue) == headers[name] }
    }

    private func matchesBody(of request: URLRequest) -> Bool {
        guard let body else { return true }
        do { return try body(request.httpBody ?? Data()) } catch { return false }
    }

    var description: String {
        var text = "\(method) \(path.description.prefix { $0 != "?" })"
        if !query.isEmpty { text += "?" + query.map { "\($0.name)=\($0.value)" }.joined(separator: "&") }
        var conditions = headers.map { "\($0.name): \($0.value)" }
        if body != nil { conditions.append("a certain body") }
        return conditions.isEmpty ? text : "\(text) with \(conditions.joined(separator: ", "))"
    }
}
