/// Takes user, password and secret query values out of a URL, or out of a text that URLs stand in.
///
/// URLs that are not valid come here too, since it is their errors that are logged, so this is no URL parser:
/// where in doubt, it takes out more.
struct LogRedactionScanner {
    /// What the bytes are.
    enum Kind {
        /// One URL from start to end.
        case url
        /// A text of the log's, in which an error may have written a URL without its scheme.
        case text
        /// A message's body. Its quotation marks needn't match, and its addresses, as in `mailto:ada@host`, aren't
        /// secret: only after `//` may a user and a password follow.
        case body
    }

    /// A byte without its percent-encoding (RFC 3986 §2.1), however often that was applied: `=`, `%3D` and `%253D` are
    /// one byte at the levels 0, 1 and 2. URLs in a query item's value are a level above it.
    private struct Unit {
        let byte: UInt8
        let level: Int
        /// Where its text begins.
        let start: Int

        func `is`(_ character: Unicode.Scalar) -> Bool { byte == UInt8(ascii: character) }
        func isOne(of characters: StaticString) -> Bool {
            characters.withUTF8Buffer { $0.contains(byte) }
        }
    }

    private let bytes: [UInt8]
    private let units: [Unit]
    private let redaction: LogRedaction
    private let kind: Kind
    /// The places of each `@`, encoded or not, that ends a user and a password; those before `index` are dropped.
    private var ends: ArraySlice<Int>
    private let lastRawEnd: Int?
    private let isTokenRequest: Bool
    private var index = 0
    private var kept: [UInt8] = []
    private var nameStart = 0
    private var isQuoted = false

    /// How far it looks for a password: the time for a long text mustn't grow with its square.
    private static let sight = 256

    init(_ bytes: [UInt8], _ redaction: LogRedaction, _ kind: Kind) {
        self.bytes = bytes
        self.redaction = redaction
        self.kind = kind
        // A text without an equals sign or a user has no secret.
        let mayBeSecret = bytes.contains {
            [UInt8(ascii: "="), UInt8(ascii: "@"), UInt8(ascii: "%")].contains($0)
        }
        units = mayBeSecret ? Self.units(of: bytes) : []
        let ends = units.indices.filter { [units] in units[$0].is("@") }
        (self.ends, lastRawEnd) = (ends[...], ends.last { [units] in units[$0].level == 0 })
        isTokenRequest = mayBeSecret && LogRedaction.holdsGrantType(units.map(\.byte))
    }

    /// The text without its secrets; nil where it has none.
    mutating func redacted() -> [UInt8]? {
        if units.isEmpty { return nil }
        kept.reserveCapacity(bytes.count)
        while index < units.count {
            if kind != .body, startsWord { skip(to: endOfBareUserinfo()) }
            guard index < units.count else { break }
            let unit = units[index]
            if unit.is("="), isSecret {
                keep(unit)
                kept.append(contentsOf: LogRedaction.placeholder.utf8)
                skip(to: endOfValue(at: unit.level))
                continue
            }
            if isRaw(unit, "\"") { isQuoted.toggle() }
            if endsLine(unit) { isQuoted = false }
            keep(unit)
            let startsAuthority = unit.is("/") && index > 0 && units[index - 1].is("/")
            index += 1
            if Self.endsName(unit) { nameStart = index }
            if startsAuthority { skip(to: endOfUserinfo(at: unit.level)) }
        }
        return kept == bytes ? nil : kept
    }

    private var isSecret: Bool {
        let name = String(decoding: units[nameStart..<index].map(\.byte), as: UTF8.self)
        return redaction.isSecretItem(name) || isTokenRequest && redaction.isCode(name)
    }

    private mutating func keep(_ unit: Unit) {
        let end = index + 1 < units.count ? units[index + 1].start : bytes.count
        kept += bytes[unit.start..<end]
    }

    private mutating func skip(to end: Int) {
        if end > index { (index, nameStart) = (end, end) }
    }

    private static func endsName(_ unit: Unit) -> Bool {
        // Spaces that are encoded are part of a name.
        unit.level == 0 && unit.byte <= UInt8(ascii: " ") || unit.isOne(of: "?&;#/=:,(){}<>\"'")
    }

    /// The end of the value after the equals sign at `index`. An ampersand that is encoded more often than the equals
    /// sign belongs to the value; backslashes before a quotation mark don't.
    private func endOfValue(at level: Int) -> Int {
        let rest = units[(index + 1)...]
        let end = rest.firstIndex { $0.is("&") && $0.level <= level || endsURL($0) } ?? units.count
        guard end < units.count, units[end].is("\"") else { return end }
        return (rest[..<end].lastIndex { !isRaw($0, "\\") } ?? index) + 1
    }
}

// MARK: - User and password

extension LogRedactionScanner {
    /// The place where the host begins in the authority that starts at `index` (RFC 3986 §3.2).
    private mutating func endOfUserinfo(at level: Int) -> Int {
        guard let next = nextEnd() else { return index }
        // Authorities that aren't encoded end before the next one; those that are may hold each other.
        let rest = units[index...].prefix(level == 0 ? .max : 4 * Self.sight)
        let authority = rest.prefix { !endsAuthority($0, at: level) }
        let isEnd = { (unit: Unit) in unit.is("@") && unit.level <= level }
        if let at = authority.lastIndex(where: isEnd) { return at + 1 }
        guard let colon = authority.firstIndex(where: { $0.is(":") }), authority.first?.is("[") == false,
            !authority[colon...].dropFirst().allSatisfy(Self.isDigit)
        else { return index }
        // What follows the colon is no port: it may be a password with a raw delimiter in it.
        if kind == .url, level == 0 { return max(index, lastRawEnd.map { $0 + 1 } ?? index) }
        guard next < index + 4 * Self.sight else { return index }
        let stretch = rest.prefix(4 * Self.sight).prefix { !isRaw($0, "\"") }
        let at = stretch.prefix { $0.level >= level || !$0.is("&") }.lastIndex(where: isEnd)
        return at.map { $0 + 1 } ?? index
    }

    /// The place where the host begins in a URL without a scheme, as in `user:password@host`.
    private mutating func endOfBareUserinfo() -> Int {
        guard let next = nextEnd(), next < index + Self.sight else { return index }
        let word = units[index...].prefix(Self.sight).prefix { !endsAuthority($0, at: .max) && !$0.is("&") }
        guard let at = word.lastIndex(where: { $0.is("@") }), word[..<at].contains(where: { $0.is(":") })
        else { return index }
        return at + 1
    }

    private mutating func nextEnd() -> Int? {
        while let end = ends.first, end < index { ends = ends.dropFirst() }
        return ends.first
    }

    /// Whether a URL may begin here.
    private var startsWord: Bool {
        guard index > 0 else { return true }
        let last = units[index - 1]
        return last.level == 0 && last.byte <= UInt8(ascii: " ") || last.isOne(of: "=&;,({<\"'")
    }

    private func endsAuthority(_ unit: Unit, at level: Int) -> Bool {
        let isDelimiter = unit.level <= level && unit.isOne(of: "/?#") || unit.level < level && unit.is("&")
        return isDelimiter || endsURL(unit)
    }

    private func endsURL(_ unit: Unit) -> Bool {
        if kind == .url || unit.level > 0 { return false }
        return unit.is("\"") || !isQuoted && unit.byte <= UInt8(ascii: " ") || endsLine(unit)
    }

    /// Whether a byte ends a line of a body: a quotation mark before it has no effect after it.
    private func endsLine(_ unit: Unit) -> Bool {
        kind == .body && unit.level == 0 && unit.isOne(of: "\n\r")
    }

    private func isRaw(_ unit: Unit, _ character: Unicode.Scalar) -> Bool {
        unit.level == 0 && unit.is(character)
    }

    private static func isDigit(_ unit: Unit) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(unit.byte)
    }
}

// MARK: - Percent-encoding

extension LogRedactionScanner {
    private static func units(of bytes: [UInt8]) -> [Unit] {
        var units: [Unit] = []
        units.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let start = index
            var (byte, level) = (bytes[index], 0)
            index += 1
            while byte == UInt8(ascii: "%"), let next = escape(bytes, at: index) {
                byte = next
                level += 1
                index += 2
            }
            units.append(Unit(byte: byte, level: level, start: start))
        }
        return units
    }

    /// The byte that two digits stand for; nil where there are none.
    private static func escape(_ bytes: [UInt8], at index: Int) -> UInt8? {
        guard index + 1 < bytes.count, let high = digit(bytes[index]), let low = digit(bytes[index + 1])
        else { return nil }
        return high << 4 | low
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
