import Foundation

struct BaseURL: Sendable {
    let root: String
    let problem: String?
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

    var plainRoot: String { root.withoutUserinfo }

    var origin: Origin? {
        URL(string: location).flatMap(Origin.init)
    }

    var path: Substring { root.pathOfHTTPURL ?? "" }

    /// Returns the URL for a path, without a fragment.
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
