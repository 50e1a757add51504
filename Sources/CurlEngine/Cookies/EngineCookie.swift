#if os(Linux) && canImport(Glibc)
    import Foundation

    package struct EngineCookie: Sendable {
        package var name: String
        package var value: String
        package var domain: String
        package var includesSubdomains: Bool
        package var path: String
        package var isSecure: Bool
        package var isHTTPOnly: Bool
        package var expires: Date?

        package init(
            name: String, value: String, domain: String, includesSubdomains: Bool, path: String,
            isSecure: Bool, isHTTPOnly: Bool, expires: Date?
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

        package var problem: String? {
            if name.isEmpty || domain.isEmpty { return "a cookie needs a name and a domain" }
            if !path.hasPrefix("/") { return "the path of a cookie must begin with a slash" }
            // libcurl never completes a request whose first cookie has about 8 KiB. It ignores a response's cookie of
            // more than 4,096 bytes.
            if name.utf8.count + value.utf8.count > 4096 {
                return "the cookie \(name) has more than 4,096 bytes"
            }
            // RFC 6265bis §4.1.3. libcurl drops such a cookie without an error.
            let lowercased = name.lowercased()
            if lowercased.hasPrefix("__secure-"), !isSecure { return "the cookie \(name) must be secure" }
            if lowercased.hasPrefix("__host-"), !isSecure || includesSubdomains || path != "/" {
                return "the cookie \(name) must be secure, for one host and for the path /"
            }
            let isLegal = [name, value, domain, path].allSatisfy { text in
                text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ";") }
            }
            let isNameLegal = !name.utf8.contains { $0 == UInt8(ascii: "=") || $0 == 0x20 }
            return isLegal && isNameLegal
                ? nil : "the cookie \(name.debugDescription) contains a character that can't be sent"
        }
    }

    extension EngineCookie {
        private static let latest: TimeInterval = 253_402_300_799

        var line: String {
            // 0 marks a session cookie. NaN becomes 1, because comparisons with NaN are false.
            let seconds = expires.map { Int64(min(max(1, $0.timeIntervalSince1970), Self.latest)) } ?? 0
            return [
                (isHTTPOnly ? "#HttpOnly_" : "") + (includesSubdomains ? "." : "") + domain,
                includesSubdomains ? "TRUE" : "FALSE", path, isSecure ? "TRUE" : "FALSE", "\(seconds)", name,
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
#endif
