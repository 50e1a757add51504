#if os(Linux) && canImport(Glibc)
    import Foundation

    extension CurlDataSource {
        /// A cookie as a ``CurlDataSource`` keeps it (RFC 6265 §5.3).
        public struct Cookie: Sendable, Hashable {
            /// The name, case-sensitive.
            public var name: String
            /// The value, as it is sent.
            public var value: String
            /// The host that gets it, in lower case and without a dot in front.
            public var domain: String
            /// Whether hosts within the domain get it, too.
            public var includesSubdomains: Bool
            /// The path under which it is sent.
            public var path: String
            /// Whether it is sent over TLS only (and to this machine).
            public var isSecure: Bool
            /// Whether scripts in a web page must not see it.
            public var isHTTPOnly: Bool
            /// When it expires, to the second; nil for one that ends with the data source.
            public var expires: Date?

            /// Makes a cookie, by default for one host, all its paths, and TLS only.
            public init(
                name: String, value: String, domain: String, includesSubdomains: Bool = false,
                path: String = "/", isSecure: Bool = true, isHTTPOnly: Bool = false, expires: Date? = nil
            ) {
                self.name = name
                self.value = value
                self.domain = domain.hasPrefix(".") ? String(domain.dropFirst()) : domain
                self.includesSubdomains = includesSubdomains
                self.path = path
                self.isSecure = isSecure
                self.isHTTPOnly = isHTTPOnly
                self.expires = expires
            }
        }
    }

    // MARK: - Netscape's file

    extension CurlDataSource.Cookie {
        /// Why it can't be sent as it is; nil where it can.
        var problem: String? {
            if name.isEmpty || domain.isEmpty { return "a cookie needs a name and a domain" }
            if !path.hasPrefix("/") { return "the path of a cookie begins with a slash" }
            let isLegal = [name, value, domain, path].allSatisfy { text in
                text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ";") }
            }
            let isNameLegal = !name.utf8.contains { $0 == UInt8(ascii: "=") || $0 == 0x20 }
            return isLegal && isNameLegal ? nil : "the cookie \(name.debugDescription) can't be sent"
        }

        /// A line of a `cookies.txt`.
        var line: String {
            let isEnding = expires.map { max(1, Int64($0.timeIntervalSince1970.clamped())) } ?? 0
            return [
                (isHTTPOnly ? "#HttpOnly_" : "") + (includesSubdomains ? "." : "") + domain,
                includesSubdomains ? "TRUE" : "FALSE", path, isSecure ? "TRUE" : "FALSE", "\(isEnding)", name,
                value,
            ].joined(separator: "\t")
        }

        init?(line: String) {
            let isHTTPOnly = line.hasPrefix("#HttpOnly_")
            let text = isHTTPOnly ? line.dropFirst(10) : line[...]
            let parts = text.split(separator: "\t", maxSplits: 6, omittingEmptySubsequences: false).map(
                String.init)
            guard !text.hasPrefix("#"), parts.count >= 6, let expires = Int64(parts[4]) else { return nil }
            self.init(
                name: parts[5], value: parts.count > 6 ? parts[6] : "", domain: parts[0],
                includesSubdomains: parts[1] == "TRUE", path: parts[2], isSecure: parts[3] == "TRUE",
                isHTTPOnly: isHTTPOnly,
                expires: expires == 0 ? nil : Date(timeIntervalSince1970: TimeInterval(expires)))
        }
    }

    extension TimeInterval {
        /// The time, limited to the dates that a cookie can have.
        fileprivate func clamped() -> TimeInterval {
            isNaN ? 1 : Swift.min(Swift.max(self, 1), 253_402_300_799)
        }
    }
#endif
