extension String {
    /// A URL's text before the query and the fragment, and the query without its `?`, or `nil` if there is no query.
    var locationAndQuery: (location: Substring, query: Substring?) {
        let location = utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        let rest = utf8[location.endIndex...]
        guard rest.first == UInt8(ascii: "?") else { return (Substring(location), nil) }
        return (Substring(location), Substring(rest.dropFirst().prefix { $0 != UInt8(ascii: "#") }))
    }

    var plainLocation: String {
        let location = locationAndQuery.location
        guard let start = location.firstRange(of: "://")?.upperBound else { return String(location) }
        let authority = location[start...].prefix { $0 != "/" }
        guard let end = authority.lastIndex(of: "@") else { return String(location) }
        return String(location[..<start] + location[location.index(after: end)...])
    }
}
