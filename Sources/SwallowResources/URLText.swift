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
        let bytes = location.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8)
        else { return String(location) }
        let start = bytes.index(colon, offsetBy: 3)
        let authority = bytes[start...].prefix { $0 != UInt8(ascii: "/") }
        guard let end = authority.lastIndex(of: UInt8(ascii: "@")) else { return String(location) }
        return String(location[..<start] + location[bytes.index(after: end)...])
    }
}
