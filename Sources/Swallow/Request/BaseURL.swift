import Foundation

/// A service's base URL, split into the components that paths are joined to (RFC 3986 §3).
struct BaseURL: Sendable {
    /// The scheme, the authority and the path, without slashes at the end.
    let root: String
    /// The reason why no relative path can be joined to the base URL, or `nil` if paths can be joined.
    let problem: String?
    /// The scheme, the authority and the path.
    private let location: String
    private let query: Substring?

    init(_ text: String) {
        let escaped = PercentEncoding.escapeIllegal(text)
        problem = escaped == nil ? PercentEncoding.problem(of: text) : nil
        let (location, query) = (escaped ?? text).locationAndQuery
        self.location = String(location)
        self.query = query
        let path = self.location.pathOfHTTPURL ?? location
        let slashes = path.utf8.reversed().prefix { $0 == UInt8(ascii: "/") }.count
        root = slashes == 0 ? self.location : String(location.dropLast(slashes))
    }

    /// The root without user info. URLs are matched with it.
    var plainRoot: String { root.withoutUserinfo }

    /// The origin that configured header fields belong to, or `nil` if the base isn't an HTTP URL.
    var origin: Origin? {
        URL(string: location).flatMap(Origin.init)
    }

    /// The base's own path without slashes at its end, for example `/v1`.
    var path: Substring { root.pathOfHTTPURL ?? "" }

    /// Returns the URL that `path` names. A fragment is removed, because fragments are never sent (RFC 9110 §7.1).
    ///
    /// There is one slash between the two paths. The base's query stays, and the path's query is added to it. An empty
    /// query stays as well.
    func joined(_ path: Request.Path) -> String {
        let (relative, relativeQuery) = path.text.locationAndQuery
        let query = path.isAbsolute ? nil : query
        var url: String
        if path.isAbsolute {
            url = String(relative)
        } else if relative.isEmpty {
            url = location
        } else {
            url = root
            url.reserveCapacity(root.utf8.count + path.text.utf8.count + (query?.utf8.count ?? 0) + 2)
            url += "/"
            url += Substring(relative.utf8.drop { $0 == UInt8(ascii: "/") })
        }
        if query != nil || relativeQuery != nil { url += "?" }
        url.appendQuery(query ?? "")
        url.appendQuery(relativeQuery ?? "")
        return url
    }
}

extension String {
    /// Adds items to the query of a URL without a fragment. An empty text adds nothing.
    mutating func appendQuery(_ query: some StringProtocol) {
        if query.isEmpty { return }
        let mark = utf8.firstIndex(of: UInt8(ascii: "?"))
        if mark == nil {
            self += "?"
        } else if mark != utf8.index(before: utf8.endIndex), utf8.last != UInt8(ascii: "&") {
            self += "&"
        }
        self += query
    }
}
