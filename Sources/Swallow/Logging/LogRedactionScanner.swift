/// Takes user, password and secret query values out of a URL, or out of a text that URLs stand in.
///
/// URLs that are not valid come here too, since it is their errors that are logged, so this is no URL parser:
/// where in doubt, it takes out more.
struct LogRedactionScanner {
    private let bytes: [UInt8]
    private let isURL: Bool
    private var index = 0
    private var kept: [UInt8] = []
    private var nameStart = 0
    private var isQuoted = false

    /// - Parameter isURL: whether the text is one URL from start to end.
    init(_ text: String, isURL: Bool) {
        bytes = Array(text.utf8)
        self.isURL = isURL
    }

    mutating func text(redacting isSecret: (String) -> Bool) -> String {
        kept.reserveCapacity(bytes.count)
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "="), isSecret(String(decoding: kept[nameStart...], as: UTF8.self)) {
                kept.append(byte)
                kept.append(contentsOf: LogRedaction.placeholder.utf8)
                index = bytes[index...].dropFirst().firstIndex(where: endsValue) ?? bytes.count
                nameStart = kept.count
                continue
            }
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            let startsAuthority = byte == UInt8(ascii: "/") && kept.last == byte
            kept.append(byte)
            index += 1
            if Self.endsName(byte) { nameStart = kept.count }
            if startsAuthority { index = endOfUserinfo }
        }
        return String(decoding: kept, as: UTF8.self)
    }

    /// Where the host begins of the authority that is next (RFC 3986 §3.2).
    private var endOfUserinfo: Int {
        let rest = bytes[index...]
        let authority = rest.prefix { !endsAuthority($0) }
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) { return at + 1 }
        guard let colon = authority.firstIndex(of: UInt8(ascii: ":")),
            authority.first != UInt8(ascii: "["), !authority[colon...].dropFirst().allSatisfy(Self.isDigit)
        else { return index }
        // That is no port, so it may be a password with a raw delimiter in it. How far to look is limited, so
        // that a long text takes no time that grows with its square.
        let stretch = isURL ? rest : rest.prefix(1024).prefix { $0 != UInt8(ascii: "\"") }
        let at = stretch.lastIndex(of: UInt8(ascii: "@"))
        return at.map { $0 + 1 } ?? index
    }

    private func endsAuthority(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): true
        default: endsURL(byte)
        }
    }

    private func endsValue(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "&") || endsURL(byte) }

    private func endsURL(_ byte: UInt8) -> Bool {
        if isURL { return false }
        return byte == UInt8(ascii: "\"") || !isQuoted && byte <= UInt8(ascii: " ")
    }

    private static func endsName(_ byte: UInt8) -> Bool {
        byte <= UInt8(ascii: " ") || "?&;#/=:,(){}<>\"'".utf8.contains(byte)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
