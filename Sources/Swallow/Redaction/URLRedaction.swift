/// Removes users, passwords and secret items from a URL, valid or not, and from a text that contains URLs.
struct URLRedaction {
    let names: LogRedaction
    var placeholder = LogRedaction.placeholder
    /// Whether `user:password@host` without `//` loses its user, too. A body may contain `mailto:ada@host`.
    var hidesBareUsers = true
    /// The number of layers of encoding around the text.
    var depth = 0

    private static let quote = UInt8(ascii: "\"")

    /// Returns the text without the secrets of the URLs in it. A URL ends at a space that isn't in quotation marks.
    func redacted(text: String) -> String {
        let bytes = Array(text.utf8)
        guard bytes.contains(where: { "=@%".utf8.contains($0) }) else { return text }
        let lastQuote = bytes.lastIndex(of: Self.quote) ?? 0
        var (result, start, isQuoted) = ([UInt8](), 0, false)
        for (index, byte) in bytes.enumerated() {
            if byte == Self.quote { isQuoted = !isQuoted && index < lastQuote }
            guard byte <= UInt8(ascii: " "), !isQuoted else { continue }
            append(bytes[start..<index], to: &result)
            result.append(byte)
            start = index + 1
        }
        append(bytes[start...], to: &result)
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns the URL, the query or the form without its secrets.
    func redacted(url: String) -> String {
        var result: [UInt8] = []
        append(Array(url.utf8)[...], to: &result)
        return String(decoding: result, as: UTF8.self)
    }

    /// Appends a URL, segment by segment. A segment is the text between two delimiters, such as the name of an item.
    private func append(_ url: ArraySlice<UInt8>, to result: inout [UInt8]) {
        let isGrant = String(decoding: Self.decoded(url), as: UTF8.self).contains("grant_type")
        let names = names.forItems(isGrant ? ["grant_type"] : [])
        let lastAt = url.lastIndex(of: UInt8(ascii: "@")) ?? url.startIndex
        var start = url.startIndex
        while true {
            if result.suffix(2).elementsEqual("//".utf8) { start = Self.startOfHost(url[start...], lastAt) }
            let end = url[start...].firstIndex {
                $0 <= UInt8(ascii: " ") || "?&;#/=,(){}<>'\"".utf8.contains($0)
            }
            let segment = url[start..<(end ?? url.endIndex)]
            let decoded = Self.decoded(segment)
            var isSecret = decoded.count < segment.count && holdsSecret(decoded)
            if !isSecret {
                result += hidesBareUsers ? Self.withoutBareUser(segment) : segment
                guard let end else { return }
                result.append(url[end])
                start = end + 1
                isSecret =
                    url[end] == UInt8(ascii: "=") && names.isSecret(String(decoding: decoded, as: UTF8.self))
            }
            if isSecret {
                result += placeholder.utf8
                let end = url.last == Self.quote && start < url.endIndex ? url.endIndex - 1 : url.endIndex
                start = url[start..<end].firstIndex(of: UInt8(ascii: "&")) ?? end
            }
        }
    }

    /// Whether a text that was percent-encoded, such as the URL in `?next=%2F%3Ftoken%3Da`, has a secret.
    private func holdsSecret(_ decoded: [UInt8]) -> Bool {
        if depth == LogRedaction.greatestDepth { return true }
        let text = String(decoding: decoded, as: UTF8.self)
        return names.redacted(text, hidesBareUsers: hidesBareUsers, depth: depth + 1) != text
    }

    /// The place where the host begins in a text that begins with an authority (RFC 3986 §3.2). If the authority has no
    /// valid port, the text may be a password with delimiters in it, so the host begins after the last `@` of the URL.
    private static func startOfHost(_ text: ArraySlice<UInt8>, _ lastAt: Int) -> Int {
        let authority = text.prefix { !"/?#".utf8.contains($0) }
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) { return at + 1 }
        let port = authority.drop { $0 != UInt8(ascii: ":") }.dropFirst()
        let isValid = authority.first == UInt8(ascii: "[") || port.allSatisfy { (0x30...0x39).contains($0) }
        return isValid || lastAt < text.startIndex ? text.startIndex : lastAt + 1
    }

    private static func withoutBareUser(_ segment: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let at = segment.lastIndex(of: UInt8(ascii: "@")), segment[..<at].contains(UInt8(ascii: ":"))
        else {
            return segment
        }
        return segment[(at + 1)...]
    }

    /// Returns a text without its percent-encoding (RFC 3986 §2.1), however often that was applied.
    private static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
        if !text.contains(UInt8(ascii: "%")) { return Array(text) }
        var (decoded, rest) = ([UInt8](), text)
        while var byte = rest.popFirst() {
            while byte == UInt8(ascii: "%"), let high = digit(rest.first),
                let low = digit(rest.dropFirst().first)
            {
                byte = high << 4 | low
                rest.removeFirst(2)
            }
            decoded.append(byte)
        }
        return decoded
    }

    private static func digit(_ byte: UInt8?) -> UInt8? {
        byte.flatMap { Character(UnicodeScalar($0)).hexDigitValue }.map { UInt8($0) }
    }
}
