import Foundation

/// Scheme, host and port: who a request talks to (RFC 6454 §4).
struct Origin: Hashable, Sendable {
    let scheme: String
    let host: String
    let port: Int

    /// The origin of an HTTP URL; nil for any other, and for a host or port that can't be one.
    init?(_ url: URL) {
        guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
            let host = url.host(percentEncoded: true), Self.isHost(host)
        else { return nil }
        self.scheme = scheme
        self.host = host.lowercased()
        port = url.port ?? (scheme == "https" ? 443 : 80)
        guard (0...65_535).contains(port) else { return nil }
    }

    /// Whether a host has none of the code points that the WHATWG URL standard forbids, not even escaped.
    private static func isHost(_ host: String) -> Bool {
        // Decoding costs 1 µs.
        let name = host.utf8.contains(UInt8(ascii: "%")) ? host.removingPercentEncoding ?? "" : host
        return !name.isEmpty && !name.utf8.contains(where: isForbidden)
    }

    private static func isForbidden(_ byte: UInt8) -> Bool {
        switch byte {
        case ...0x20, 0x7F, UInt8(ascii: "#"), UInt8(ascii: "/"), UInt8(ascii: "<"), UInt8(ascii: ">"),
            UInt8(ascii: "?"), UInt8(ascii: "@"), UInt8(ascii: "\\"), UInt8(ascii: "^"), UInt8(ascii: "|"):
            true
        default: false
        }
    }
}

extension URL {
    /// Whether two URLs name the same resource. They may differ in what a client may change: the case of scheme and
    /// host, user and password, a default port, the path of a bare host, and the fragment (RFC 3986 §6.2.2, §6.2.3).
    func isSameResource(as other: URL) -> Bool {
        let (text, otherText) = (absoluteString, other.absoluteString)
        if text == otherText { return true }
        guard let origin = Origin(self), origin == Origin(other) else { return false }
        return text.target == otherText.target
    }
}

extension String {
    /// Path and query of an HTTP URL, as they are sent.
    fileprivate var target: String {
        let target = String(Substring((pathOfHTTPURL ?? self[...]).utf8.prefix { $0 != UInt8(ascii: "#") }))
        return target.utf8.first == UInt8(ascii: "/") ? target : "/" + target
    }
}
