enum SecretWords {
    private static let strong = Set(
        """
        assertion authorization bearer cookie cookies credential credentials csrf csrfmiddlewaretoken jsessionid jwt otp \
        passcode passphrase passwd password passwords phpsessid pwd secret secrets sessionid sig signature token verifier xsrf
        """.split(separator: " "))

    /// Words that make a name secret. In a JSON member's name, they do so only together with another word.
    private static let weak: Set<Substring> = ["auth", "key", "session", "sid"]

    /// Pairs of words that are often written as one, such as `apikey` and `accesstoken`.
    private static let fused: Set<Substring> = {
        let starts =
            "access api app auth client csrf device id login new old private refresh secret security session user xsrf"
        let ends = ["key", "password", "pwd", "secret", "token"]
        return Set(starts.split(separator: " ").flatMap { start in ends.map { start + $0 } }.map { $0[...] })
    }()

    /// Secret words, and the words before them that make them harmless, such as `page` in `page_token`.
    private static let harmless: [Substring: Set<Substring>] = [
        "token": ["continuation", "next", "page", "prev", "previous"],
        "key": Set(
            """
            cache column event field file foreign group hash idempotency index issue lookup message object order \
            partition primary project public range routing row sort storage surrogate translation
            """.split(separator: " ")),
    ]

    static func areSecret(in name: String, isMember: Bool) -> Bool {
        let words = words(in: name)
        // For example, `token_type` (RFC 6749 §5.1) and `Access-Control-Allow-Credentials` aren't secret.
        if ["type", "endpoint"].contains(words.last) || words.starts(with: ["access", "control", "allow"]) {
            return false
        }
        return zip(words, [""] + words).contains { word, previous in
            if harmless[word]?.contains(previous) == true { return false }
            if strong.contains(word) || fused.contains(word) { return true }
            return weak.contains(word) && (!isMember || words.contains { $0 != word })
        }
    }

    static func words(in name: String) -> [Substring] {
        let (upper, lower) = (UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"))
        var (words, previous) = ([UInt8](), UInt8(0))
        for (byte, next) in zip(name.utf8, Array(name.utf8.dropFirst()) + [0]) {
            let isUpper = upper.contains(byte)
            if isUpper, !upper.contains(previous) || lower.contains(next) { words.append(UInt8(ascii: " ")) }
            words.append(
                isUpper ? byte | 0x20 : lower.contains(byte) || byte >= 0x80 ? byte : UInt8(ascii: " "))
            previous = byte
        }
        return String(decoding: words, as: UTF8.self).split(separator: " ")
    }
}
