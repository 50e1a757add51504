import Foundation
import Swallow

/// Cookies are stored as fields. A cookie that the server sets has further members.
extension HAR.Field {
    static func sentCookies(in headers: [HAR.Field]) -> [HAR.Field] {
        Headers(headers).values(for: "Cookie").flatMap { $0.split(separator: ";") }.map { pair in
            let (name, value) = cookieNameAndValue(pair)
            return HAR.Field(name, value)
        }
    }

    /// Returns the cookies of all `Set-Cookie` fields (RFC 6265 §5.2), which Foundation may have joined.
    static func setCookies(in headers: [HAR.Field]) -> [HAR.Field] {
        Headers(headers).values(for: "Set-Cookie").flatMap(lines).map(cookie)
    }

    private static func cookie(_ line: String) -> HAR.Field {
        let parts = line.split(separator: ";")
        let (name, value) = cookieNameAndValue(parts.first ?? "")
        var cookie = HAR.Field(name, value)
        for part in parts.dropFirst() {
            let (name, value) = nameAndValue(part)
            switch name.lowercased() {
            case "path", "domain": cookie[name.lowercased()] = .string(value)
            case "expires":
                if let date = HTTPDate.date(value) { cookie["expires"] = .string(HARDate.text(date)) }
            case "httponly": cookie["httpOnly"] = true
            case "secure": cookie["secure"] = true
            case "samesite": cookie["sameSite"] = .string(value)
            default: break
            }
        }
        return cookie
    }

    /// Splits joined `Set-Cookie` fields at commas before a name and `=`, but not at the comma in a date.
    private static func lines(_ value: String) -> [String] {
        var lines = [""]
        for part in value.split(separator: ",", omittingEmptySubsequences: false) {
            let isFirst = lines == [""]
            if !isFirst, part.prefixMatch(of: /\s*[!#$%&'*+.^_`|~0-9A-Za-z-]+=/) != nil {
                lines.append(String(part))
            } else {
                lines[lines.count - 1] += isFirst ? part : ",\(part)"
            }
        }
        return lines
    }

    /// Returns a cookie's name and value. Without a `=`, the name is empty (RFC 6265bis §5.6).
    private static func cookieNameAndValue(_ pair: Substring) -> (String, String) {
        let (name, value) = nameAndValue(pair)
        return pair.contains("=") ? (name, value) : ("", name)
    }

    private static func nameAndValue(_ pair: Substring) -> (String, String) {
        let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let trimmed = parts.map { $0.trimmingCharacters(in: .whitespaces) }
        return (trimmed.first ?? "", trimmed.count > 1 ? trimmed[1] : "")
    }
}
