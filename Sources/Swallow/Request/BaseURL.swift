import Foundation

/// A service's base URL in the parts that paths are joined to (RFC 3986 §3).
struct BaseURL: Sendable {
    /// The URL up to its path: scheme and authority.
    private let prefix: Substring
    private let path: Substring
    private let query: Substring?
    /// The base as it was given.
    let text: String

    init(_ text: String) {
        self.text = text
        let url = text.prefix { $0 != "#" }
        let beforeQuery = url.prefix { $0 != "?" }
        query = beforeQuery.endIndex < url.endIndex ? url[beforeQuery.endIndex...].dropFirst() : nil
        let authority = beforeQuery.range(of: "://").map { beforeQuery[$0.upperBound...] } ?? beforeQuery
        let pathStart = authority.firstIndex(of: "/") ?? beforeQuery.endIndex
        prefix = beforeQuery[..<pathStart]
        path = beforeQuery[pathStart...]
    }

    /// The origin that configured headers belong to; nil where the base is not an HTTP URL.
    var origin: Origin? {
        URL(string: text).flatMap(Origin.init)
    }

    /// The URL that `path` names, and whether it is relative to this base.
    ///
    /// There is one slash between the two paths, the base's query is kept, and the path's is added to it.
    func joined(_ path: String) -> (text: String, isRelative: Bool) {
        if Self.isAbsolute(path) { return (path, false) }
        let relative = path.prefix { $0 != "#" }
        let relativePath = relative.prefix { $0 != "?" }
        let relativeQuery = relative[relativePath.endIndex...].dropFirst()
        var joined = String(prefix)
        joined.reserveCapacity(text.utf8.count + path.utf8.count + 1)
        if relativePath.isEmpty {
            joined += self.path
        } else {
            joined += self.path.reversed().drop { $0 == "/" }.reversed()
            joined += "/"
            joined += relativePath.drop { $0 == "/" }
        }
        let queries = [query, relativeQuery].compactMap { $0 }.filter { !$0.isEmpty }
        if !queries.isEmpty { joined += "?" + queries.joined(separator: "&") }
        return (joined, true)
    }

    private static func isAbsolute(_ path: String) -> Bool {
        let start = path.prefix(8).lowercased()
        return start.hasPrefix("http://") || start.hasPrefix("https://")
    }
}

/// Scheme, host and port: who a request talks to (RFC 6454 §4).
struct Origin: Hashable, Sendable {
    let scheme: String
    let host: String
    let port: Int

    /// The origin of an HTTP URL; nil for any other.
    init?(_ url: URL) {
        guard let scheme = url.scheme?.lowercased(), let host = url.host(percentEncoded: true), !host.isEmpty,
            scheme == "http" || scheme == "https"
        else { return nil }
        self.scheme = scheme
        self.host = host.lowercased()
        port = url.port ?? (scheme == "https" ? 443 : 80)
    }
}
