/// Takes the values of secret members out of a text that holds JSON, whole or cut off.
///
/// This is no parser, since the text may be the first bytes of a body: whatever stands between two quotation marks
/// before a colon counts as a name. Escaped quotation marks belong to JSON within a string, one depth further in. No
/// string goes on after a line break (RFC 8259 §7), so a single quotation mark spoils one line at most. It looks at
/// each byte a bounded number of times, whatever the text.
struct LogRedactionMemberScanner {
    /// A quotation mark, with the backslashes that it needs at its depth.
    private struct Quote {
        let start: Int
        let end: Int
        let depth: Int
    }

    /// How deep JSON may be nested in strings; each depth doubles the backslashes.
    private static let depths = 8

    private let bytes: [UInt8]
    private let redaction: LogRedaction
    private let isTokenRequest: Bool
    private var index = 0
    private var kept: [UInt8] = []
    /// Where the bytes begin that it has yet to keep or to hide.
    private var rest = 0
    /// Where the last quotation mark of each depth ends, unless one of a lesser depth or a line break came after it.
    private var lastEnds = [Int?](repeating: nil, count: depths)

    init(_ bytes: [UInt8], _ redaction: LogRedaction) {
        self.bytes = bytes
        self.redaction = redaction
        isTokenRequest = LogRedaction.holdsGrantType(bytes)
    }

    /// The text without the values; nil where it has none of them.
    mutating func redacted() -> [UInt8]? {
        while index < bytes.count {
            let token = nextToken()
            if Self.endsLine(token.byte) { forgetQuotes(from: 0) }
            guard let quote = token.quote else { continue }
            let nameStart = lastEnds[quote.depth]
            forgetQuotes(from: quote.depth)
            lastEnds[quote.depth] = quote.end
            guard let nameStart, let colon = skippingSpaces(quote.end, quote.depth),
                bytes[colon] == UInt8(ascii: ":"),
                isSecret(nameStart..<quote.start, quote.depth)
            else { continue }
            hideValue(of: quote, from: skippingSpaces(colon + 1, quote.depth) ?? bytes.count)
        }
        return rest == 0 ? nil : kept + bytes[rest...]
    }

    private mutating func hideValue(of name: Quote, from start: Int) {
        if start == bytes.count { return }
        index = start
        let first = nextToken()
        var mark = name
        if let quote = first.quote {
            // The string around the member ends here.
            if quote.depth < name.depth { return index = start }
            mark = quote
            skip(to: quote.depth)
        } else if first.byte == UInt8(ascii: "{") || first.byte == UInt8(ascii: "[") {
            skipNested(in: name.depth)
        } else if Self.endsPlain(first.byte) {
            return index = start
        } else {
            while index < bytes.count, !Self.endsPlain(bytes[index]) { index += 1 }
            if index < bytes.count, bytes[index] == UInt8(ascii: "\"") {
                while index > start, bytes[index - 1] == UInt8(ascii: "\\") { index -= 1 }
            }
        }
        kept += bytes[rest..<start]
        let quotation = bytes[mark.start..<mark.end]
        kept += quotation + LogRedaction.placeholder.utf8 + quotation
        rest = index
        forgetQuotes(from: mark.depth)
    }

    private mutating func forgetQuotes(from depth: Int) {
        for depth in depth..<Self.depths where lastEnds[depth] != nil { lastEnds[depth] = nil }
    }

    /// Moves past the quotation mark that ends a string of a depth; or up to the one that ends a string around it, or
    /// to the line break that cuts it off.
    private mutating func skip(to depth: Int) {
        while index < bytes.count {
            let token = nextToken()
            if Self.endsLine(token.byte) { return index -= 1 }
            guard let quote = token.quote, quote.depth <= depth else { continue }
            if quote.depth < depth { index = quote.start }
            return
        }
    }

    /// Moves past the bracket that closes the open one.
    private mutating func skipNested(in depth: Int) {
        var open = 1
        while index < bytes.count, open > 0 {
            let token = nextToken()
            if let quote = token.quote {
                if quote.depth < depth { return index = quote.start }
                if quote.depth == depth { skip(to: depth) }
            } else if token.byte == UInt8(ascii: "{") || token.byte == UInt8(ascii: "[") {
                open += 1
            } else if token.byte == UInt8(ascii: "}") || token.byte == UInt8(ascii: "]") {
                open -= 1
            }
        }
    }

    private static func endsLine(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

    private static func endsPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), 0...0x20: true
        default: false
        }
    }
}

// MARK: - Tokens

extension LogRedactionMemberScanner {
    /// Takes the next byte, with the backslashes before it; together they may be a quotation mark.
    private mutating func nextToken() -> (byte: UInt8, quote: Quote?) {
        let start = index
        while index < bytes.count, bytes[index] == UInt8(ascii: "\\") { index += 1 }
        guard index < bytes.count else { return (UInt8(ascii: "\\"), nil) }
        let (byte, slashes) = (bytes[index], index - start)
        index += 1
        if byte == UInt8(ascii: "\"") {
            let depth = Self.depth(slashes)
            guard depth < Self.depths else { return (byte, nil) }
            return (byte, Quote(start: index - 1 << depth, end: index, depth: depth))
        }
        guard slashes > 0, byte == UInt8(ascii: "u"), bytes[index...].starts(with: "0022".utf8) else {
            return (byte, nil)
        }
        index += 4
        let depth = Self.depth(ofEscaped: slashes)
        return (byte, depth < Self.depths ? Quote(start: start, end: index, depth: depth) : nil)
    }

    /// How deep a quotation mark is: each depth reads two backslashes as one, and an odd backslash escapes the mark.
    private static func depth(_ backslashes: Int) -> Int {
        backslashes.isMultiple(of: 2) ? 0 : 1 + depth(backslashes / 2)
    }

    /// The depth of a quotation mark that is written as `\u0022`.
    private static func depth(ofEscaped backslashes: Int) -> Int {
        1 + (backslashes.isMultiple(of: 2) ? depth(ofEscaped: backslashes / 2) : depth(backslashes / 2))
    }

    /// The first place after any spaces, which may be escaped within a string; nil at the end of the text.
    private func skippingSpaces(_ start: Int, _ depth: Int) -> Int? {
        var place = start
        while place < bytes.count {
            if [0x20, 0x09, 0x0A, 0x0D].contains(bytes[place]) {
                place += 1
            } else if depth > 0, bytes[place] == UInt8(ascii: "\\"), let end = endOfEscapedSpace(place) {
                place = end
            } else {
                return place
            }
        }
        return nil
    }

    private func endOfEscapedSpace(_ start: Int) -> Int? {
        guard
            let end = bytes[start...].prefix(1 << Self.depths).firstIndex(where: { $0 != UInt8(ascii: "\\") }
            ),
            [UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t")].contains(bytes[end])
        else { return nil }
        return end + 1
    }
}

// MARK: - Names

extension LogRedactionMemberScanner {
    private func isSecret(_ range: Range<Int>, _ depth: Int) -> Bool {
        var name = bytes[range]
        for _ in 0...depth where name.contains(UInt8(ascii: "\\")) { name = Self.unescaped(name) }
        let text = String(decoding: name, as: UTF8.self)
        return redaction.isSecretItem(text) || isTokenRequest && redaction.isCode(text)
    }

    /// A name without its escapes (RFC 8259 §7). No secret name has a letter that needs two escapes.
    private static func unescaped(_ name: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var (unescaped, rest) = ([UInt8](), name)
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
                unescaped.append(byte)
                continue
            }
            guard escape == UInt8(ascii: "u") else {
                unescaped.append(escape)
                continue
            }
            let digits = String(decoding: rest.prefix(4), as: UTF8.self)
            let scalar = UInt32(digits, radix: 16).flatMap { Unicode.Scalar($0) }
            unescaped += String(Character(scalar ?? "\u{FFFD}")).utf8
            rest = rest.dropFirst(4)
        }
        return unescaped[...]
    }
}
