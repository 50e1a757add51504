import Foundation
import Swallow

extension HAR {
    package struct Cookie: HARObject {
        package var json: JSON

        package init(json: JSON) {
            self.json = json
        }

        package var name: String { self["name"].string ?? "" }

        package var value: String { self["value"].string ?? "" }

        static func sent(in headers: [Field]) -> [Cookie] {
            values(of: "Cookie", in: headers).flatMap { $0.split(separator: ";") }.map { pair in
                let (name, value) = cookieNameAndValue(pair)
                return Cookie(json: ["name": .string(name), "value": .string(value)])
            }
        }

        /// Returns the cookies of all `Set-Cookie` fields (RFC 6265 §5.2), which Foundation may have joined.
        static func set(in headers: [Field]) -> [Cookie] {
            values(of: "Set-Cookie", in: headers).flatMap(lines).map(Cookie.init(line:))
        }

        private init(line: String) {
            let parts = line.split(separator: ";")
            let (name, value) = Self.cookieNameAndValue(parts.first ?? "")
            var members: [(String, JSON)] = [("name", .string(name)), ("value", .string(value))]
            for part in parts.dropFirst() {
                let (name, value) = Self.nameAndValue(part)
                switch name.lowercased() {
                case "path", "domain": members.append((name.lowercased(), .string(value)))
                case "expires":
                    let date = HTTPDate.date(value).map { HARDate.text($0) }
                    members.append(("expires", date.map { .string($0) } ?? .missing))
                case "httponly": members.append(("httpOnly", true))
                case "secure": members.append(("secure", true))
                case "samesite": members.append(("sameSite", .string(value)))
                default: break
                }
            }
            json = .object(members)
        }

        private static func values(of name: String, in headers: [Field]) -> [String] {
            headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
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
}
