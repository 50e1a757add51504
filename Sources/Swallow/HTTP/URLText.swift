import Foundation

// Most of this code reads bytes, because reading characters is slower.
extension String {
    var pathOfHTTPURL: Substring? {
        guard let first = utf8.first, first | 0x20 == UInt8(ascii: "h") else { return nil }
        for scheme in ["http://", "https://"]
        where hasPrefix(scheme) || prefix(scheme.utf8.count).lowercased() == scheme {
            return Substring(utf8.dropFirst(scheme.utf8.count).drop { !Self.endsAuthority($0) })
        }
        return nil
    }

    /// The text of a URL with `http` in place of `ws`, and `https` in place of `wss` (RFC 6455 §3).
    package var withHTTPScheme: String {
        guard let first = utf8.first, first | 0x20 == UInt8(ascii: "w") else { return self }
        let start = prefix(6).lowercased()
        return start.hasPrefix("ws://") || start == "wss://" ? "http" + dropFirst(2) : self
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    /// The URL without its query and fragment, and the query, or `nil` if there is no query (RFC 3986 §3.4).
    var locationAndQuery: (location: Substring, query: Substring?) {
        let location = utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        let rest = utf8[location.endIndex...]
        guard rest.first == UInt8(ascii: "?") else { return (Substring(location), nil) }
        return (Substring(location), Substring(rest.dropFirst().prefix { $0 != UInt8(ascii: "#") }))
    }

    /// Returns the host with the port, or empty text. `isReference` also allows `//host/path` (RFC 3986 §4.2).
    func host(isReference: Bool) -> Substring {
        guard let path = pathOfHTTPURL ?? (isReference ? pathAfterHost : nil) else { return prefix(0) }
        let front = utf8[..<path.startIndex]
        let separators = [UInt8(ascii: "@"), UInt8(ascii: "/")]
        guard let start = front.lastIndex(where: separators.contains) else { return prefix(0) }
        return self[index(after: start)..<path.startIndex]
    }

    /// The user info of an HTTP URL, which may be a user and a password (RFC 3986 §3.2.1). `nil` if there is none.
    var userinfo: Substring? {
        guard has("@") else { return nil }
        let front = self[..<host(isReference: false).startIndex]
        guard front.last == "@", let slash = front.firstIndex(of: "/") else { return nil }
        return front[front.index(slash, offsetBy: 2)...].dropLast()
    }

    /// Whether the text has an ASCII character. Searching contiguous memory is faster than `contains(_:)`.
    func has(_ character: Unicode.Scalar) -> Bool {
        let byte = UInt8(ascii: character)
        return utf8.withContiguousStorageIfAvailable { $0.contains(byte) } ?? utf8.contains(byte)
    }

    var withoutFragment: String {
        has("#") ? String(Substring(utf8.prefix { $0 != UInt8(ascii: "#") })) : self
    }

    /// The URL without its user info, query and fragment.
    var plainLocation: Substring { withoutUserinfo.locationAndQuery.location }

    var withoutUserinfo: String {
        guard let userinfo else { return self }
        return String(self[..<userinfo.startIndex] + self[userinfo.endIndex...].dropFirst())
    }

    private var pathAfterHost: Substring? {
        guard utf8.starts(with: "//".utf8) else { return nil }
        return Substring(utf8.dropFirst(2).drop { !Self.endsAuthority($0) })
    }
}

extension URL {
    /// Creates the URL of a reference that a server sent, without its fragment (RFC 3986 §5.2, RFC 9110 §7.1).
    init?(named reference: String, from base: URL?) {
        let text = PercentEncoding.repair(reference.withoutFragment)
        // Foundation on Linux doesn't accept an empty reference.
        guard let url = text.isEmpty ? base : URL(string: text, relativeTo: base) else { return nil }
        self = url.absoluteURL
    }
}
