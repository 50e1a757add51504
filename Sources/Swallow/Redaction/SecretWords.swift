/// Decides by the words in a name whether its value is secret.
enum SecretWords {
    /// Words that make any name secret.
    private static let strong = Set(
        """
        assertion authorization bearer cookie cookies credential credentials csrf csrfmiddlewaretoken jsessionid jwt otp \
        passcode passphrase passwd password passwords phpsessid pwd secret secrets sessionid sig signature token verifier xsrf
        """.split(separator: " "))

    /// Words that make a name secret, but in JSON only together with another word.
    private static let weak: Set<Substring> = ["auth", "key", "session", "sid"]

    /// Two words that are often written as one, such as `apikey` and `accesstoken`.
    private static let fused: Set<Substring> = {
        let starts =
            "access api app auth client csrf device id login new old private refresh secret security session user xsrf"
        let ends = ["key", "password", "pwd", "secret", "token"]
        return Set(starts.split(separator: " ").flatMap { start in ends.map { start + $0 } }.map { $0[...] })
    }()

    /// Words before `token` in the names of page tokens, which are no credentials.
    private static let pages: Set<Substring> = ["continuation", "next", "page", "prev", "previous"]

    /// Words before `key` in the names of keys that open nothing.
    private static let harmlessKeys = Set(
        """
        cache column event field file foreign group hash idempotency index issue lookup message object order partition \
        primary project public range routing row sort storage surrogate translation
        """.split(separator: " "))

    /// Whether a name of these words has a secret value.
    ///
    /// - Parameter isMember: Whether it is the name of a member in JSON.
    static func areSecret(_ words: [Substring], isMember: Bool) -> Bool {
        // `token_type` and `token_endpoint` (RFC 6749 §5.1, RFC 8414 §2) describe a token, and
        // `Access-Control-Allow-Credentials` is a Boolean.
        if words.last == "type" || words.last == "endpoint"
            || words.starts(with: ["access", "control", "allow"])
        {
            return false
        }
        return words.indices.contains { index in
            let (word, previous) = (words[index], index > 0 ? words[index - 1] : "")
            if word == "token" { return !pages.contains(previous) }
            if strong.contains(word) || fused.contains(word) { return true }
            guard weak.contains(word), word != "key" || !harmlessKeys.contains(previous) else { return false }
            return !isMember || words.contains { $0 != word && $0.first?.isNumber == false }
        }
    }

    private enum Kind { case upper, lower, digit, separator }

    /// Returns the words in a name, in lower case. A word ends at a separator, at a number, and where case changes as in
    /// `apiKey` and `APIKey`.
    static func words(in name: some StringProtocol) -> [Substring] {
        let bytes = Array(name.utf8)
        var words: [UInt8] = []
        var previous = Kind.separator
        for (index, byte) in bytes.enumerated() {
            let kind = kind(byte)
            let next = index + 1 < bytes.count ? Self.kind(bytes[index + 1]) : .separator
            let endsAcronym = kind == .upper && previous == .upper && next == .lower
            if endsAcronym || kind != previous && (previous, kind) != (.upper, .lower) {
                words.append(UInt8(ascii: " "))
            }
            if kind != .separator { words.append(kind == .upper ? byte | 0x20 : byte) }
            previous = kind
        }
        return String(decoding: words, as: UTF8.self).split(separator: " ")
    }

    /// Returns the parts of a nested name, such as `user[pin]` and `user.pin`.
    static func parts(of name: String) -> [Substring] {
        name.utf8.split { kind($0) == .separator && !"-_".utf8.contains($0) }.map { Substring($0) }
    }

    private static func kind(_ byte: UInt8) -> Kind {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): .upper
        case UInt8(ascii: "a")...UInt8(ascii: "z"), 0x80...: .lower
        case UInt8(ascii: "0")...UInt8(ascii: "9"): .digit
        default: .separator
        }
    }
}
