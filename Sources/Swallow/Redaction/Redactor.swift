import Foundation

package struct Redactor {
    let names: LogRedaction
    let isRecording: Bool
    /// Whether to remove `user:password@` without `//` before it. In a body, this may be a `mailto:ada@host`.
    let hidesBareUsers: Bool
    private var replacement: JSON.Replacement
    private var depth = 0
    private static let (quote, at) = (UInt8(ascii: "\""), UInt8(ascii: "@"))

    package init(
        _ names: LogRedaction, isRecording: Bool = false, hidesBareUsers: Bool = false,
        replacing replacement: @escaping JSON.Replacement = { _, _, _ in nil }
    ) {
        (self.names, self.isRecording) = (names, isRecording)
        (self.hidesBareUsers, self.replacement) = (hidesBareUsers, replacement)
    }

    package func redacted(_ json: JSON) -> JSON {
        var known: [String: Bool] = [:]
        return json.replacing { path, value, parent in
            if let other = replacement(path, value, parent) { return other }
            if parent.kind == .object, let name = path.last {
                let isSecret = known[name] ?? names.isSecret(name, isMember: true)
                known[name] = isSecret
                let isCode = name == "code" && names.isStandard && parent["grant_type"].exists
                if isSecret || isCode { return Self.hidden(value, keepsType: isRecording) }
            }
            let text = value.string
            let redacted = text.map { self.redacted(text: $0) }
            return redacted == text ? JSON?.none : redacted.map { JSON.string($0) }
        }
    }

    package static func hidden(_ json: JSON, keepsType: Bool) -> JSON {
        json.replacing { _, value, _ in
            switch value.kind {
            case .null, .bool: value
            case .number where keepsType: 0
            case .array where keepsType, .object where keepsType: nil
            default: .string(LogRedaction.placeholder)
            }
        }
    }

    func redacted(text: String, mayContainJSON: Bool = true) -> String {
        let first = text.utf8.first { $0 > UInt8(ascii: " ") } ?? 0
        if "{[".utf8.contains(first), let json = try? JSON(parsing: text) {
            guard let redacted = nested?.redacted(json).data else { return LogRedaction.placeholder }
            return redacted == json.data ? text : String(decoding: redacted, as: UTF8.self)
        }
        let isJSON = !mayContainJSON || "{[\"".utf8.contains(first)
        let hasMember = isJSON && Data(text.utf8.filter { $0 > 0x20 }).range(of: Data("\":".utf8)) != nil
        return hasMember ? LogRedaction.placeholder : redacted(urlsIn: text)
    }

    /// A redactor for text within text, for example JSON in a string. `nil` at the third level.
    private var nested: Redactor? {
        var nested = Redactor(names, isRecording: isRecording, hidesBareUsers: hidesBareUsers)
        nested.depth = depth + 1
        return depth < 2 ? nested : nil
    }

    /// Splits a text at whitespace outside quotation marks, and redacts each part as a URL.
    func redacted(urlsIn text: String) -> String {
        guard text.utf8.contains(where: { "=@%".utf8.contains($0) }) else { return text }
        var (isQuoted, quotes) = (false, text.utf8.count { $0 == Self.quote })
        let urls = text.utf8.split(omittingEmptySubsequences: false) { byte in
            if byte == Self.quote {
                quotes -= 1
                isQuoted = !isQuoted && quotes > 0
            }
            return byte <= UInt8(ascii: " ") && !isQuoted
        }
        return urls.map { redacted(url: $0) + Substring(text.utf8[$0.endIndex...].prefix(1)) }.joined()
    }

    func redacted(url: Substring.UTF8View) -> String {
        let names = names.forItems(besideGrantType: Self.decoded(url).contains("grant_type"))
        let lastAt = url.lastIndex(of: Self.at) ?? url.startIndex
        var (result, rest) = ("", url)
        while true {
            if result.utf8.suffix(2).elementsEqual("//".utf8) { rest = Self.fromHost(rest, lastAt) }
            let segment = rest.prefix { $0 > 0x20 && !"?&;#/=,(){}<>'\"".utf8.contains($0) }
            rest = rest[segment.endIndex...]
            let decoded = Self.decoded(segment)
            if decoded.utf8.elementsEqual(segment) || nested?.redacted(text: decoded) == decoded {
                let at = segment.lastIndex(of: Self.at) ?? segment.startIndex
                let hasUser = hidesBareUsers && segment[..<at].contains(UInt8(ascii: ":"))
                result += Substring(hasUser ? segment[at...].dropFirst() : segment)
                guard let delimiter = rest.popFirst() else { return result }
                result.unicodeScalars.append(Unicode.Scalar(delimiter))
                guard delimiter == UInt8(ascii: "="), names.isSecret(decoded) else { continue }
            }
            let secret = rest.prefix { $0 != UInt8(ascii: "&") }
            rest = rest[secret.endIndex...]
            result += LogRedaction.placeholder + (secret.last == Self.quote ? "\"" : "")
        }
    }

    /// Removes user and password from the text that follows `//` (RFC 3986 §3.2). A password may have an unescaped `/`,
    /// `?` or `#`. So if no `@` precedes these and the port isn't a number, removes the text before the URL's last `@`.
    private static func fromHost(_ text: Substring.UTF8View, _ last: String.Index) -> Substring.UTF8View {
        let authority = text.prefix { !"/?#".utf8.contains($0) }
        let port = authority.drop { $0 != UInt8(ascii: ":") }.dropFirst()
        let isValid = authority.first == UInt8(ascii: "[") || port.allSatisfy { (0x30...0x39).contains($0) }
        let at = authority.lastIndex(of: Self.at) ?? (isValid ? text.startIndex : max(last, text.startIndex))
        return text[at...].first == Self.at ? text[at...].dropFirst() : text
    }

    private static func decoded(_ text: Substring.UTF8View) -> String {
        if !text.contains(UInt8(ascii: "%")) { return String(Substring(text)) }
        return String(decoding: PercentEncoding.decode(Substring(text), isLenient: true) ?? [], as: UTF8.self)
    }
}
