import Foundation

/// The scheme, host and port of a URL (RFC 6454 §4).
struct Origin: Hashable, Sendable {
    let scheme: String
    let host: String
    let port: Int

    init?(_ url: URL) {
        guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
            let host = url.host(percentEncoded: true), Self.isHost(host)
        else { return nil }
        self.scheme = scheme
        self.host = host.lowercased()
        port = url.port ?? (scheme == "https" ? 443 : 80)
        guard (0...65_535).contains(port) else { return nil }
    }

    /// Returns whether a host isn't empty and has no forbidden character, even percent-encoded.
    private static func isHost(_ host: String) -> Bool {
        let name = host.utf8.contains(UInt8(ascii: "%")) ? host.removingPercentEncoding ?? "" : host
        let forbidden = forbidden
        return !name.isEmpty && !name.utf8.contains { $0 <= 0x20 || $0 == 0x7F || forbidden[Int($0)] }
    }

    private static let forbidden = HTTPSyntax.table(of: #"#/<>?@\^|"#)
}

extension URL {
    /// The URL in a normal form. Two URLs have the same form if `isSameResource(as:)` is true for them.
    var resource: String {
        Origin(self).map { "\($0.scheme)://\($0.host):\($0.port)\(absoluteString.target)" } ?? absoluteString
    }

    /// Compares HTTP URLs without user info, fragment, default port, and the case of scheme and host (RFC 3986 §6.2).
    func isSameResource(as other: URL) -> Bool {
        absoluteString == other.absoluteString || resource == other.resource
    }
}

extension String {
    fileprivate var target: String {
        let target = String(pathOfHTTPURL ?? self[...]).withoutFragment
        return target.utf8.first == UInt8(ascii: "/") ? target : "/" + target
    }
}
