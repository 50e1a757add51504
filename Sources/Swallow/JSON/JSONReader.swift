/// A place in a document's bytes, and how to read what has no parts: literals, numbers and strings.
struct JSONReader {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// The next byte, or nothing at the end.
    var current: UInt8? {
        position < bytes.count ? bytes[position] : nil
    }

    mutating func advance() {
        position += 1
    }

    /// Steps over the next byte if it is this one.
    mutating func skip(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        position += 1
        return true
    }

    mutating func skipWhitespace() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            position += 1
        }
    }

    mutating func skipByteOrderMark() {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    func failure(expected: String) -> JSONError {
        failure(expected: expected, at: position)
    }

    private func failure(expected: String, at offset: Int) -> JSONError {
        JSONError(expected: expected, at: offset, in: bytes)
    }
}

// MARK: - Literals and numbers

extension JSONReader {
    /// Reads `true`, `false` or `null`.
    mutating func literal(_ literal: String) throws(JSONError) {
        let found = bytes.dropFirst(position).prefix(literal.utf8.count)
        guard found.elementsEqual(literal.utf8) else {
            let isCutOff = found.endIndex == bytes.count && literal.utf8.starts(with: found)
            throw failure(expected: "'\(literal)'", at: isCutOff ? bytes.count : position)
        }
        position += found.count
    }

    /// Reads a number (RFC 8259 §6) and gives its spelling.
    mutating func number() throws(JSONError) -> String {
        let start = position
        _ = skip(UInt8(ascii: "-"))
        if skip(UInt8(ascii: "0")) {
            if isAtDigit { throw failure(expected: "no digit after a leading zero") }
        } else {
            try digits()
        }
        if skip(UInt8(ascii: ".")) { try digits() }
        if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
            _ = skip(UInt8(ascii: "+")) || skip(UInt8(ascii: "-"))
            try digits()
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func digits() throws(JSONError) {
        guard isAtDigit else { throw failure(expected: "a digit") }
        while isAtDigit { position += 1 }
    }

    private var isAtDigit: Bool {
        guard let byte = current else { return false }
        return (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

// MARK: - Strings

extension JSONReader {
    /// Reads a string (RFC 8259 §7) from its opening quote on. One without escapes is copied as a whole.
    mutating func string() throws(JSONError) -> String {
        position += 1
        var unescaped: [UInt8] = []
        var runStart = position
        while let byte = current {
            switch byte {
            case UInt8(ascii: "\""):
                let run = bytes[runStart..<position]
                position += 1
                if unescaped.isEmpty { return String(decoding: run, as: UTF8.self) }
                return String(decoding: unescaped + run, as: UTF8.self)
            case UInt8(ascii: "\\"):
                unescaped += bytes[runStart..<position]
                try escape(into: &unescaped)
                runStart = position
            case ..<0x20: throw failure(expected: "control characters in a string to be escaped")
            case ..<0x80: position += 1
            default: try multibyteCharacter()
            }
        }
        throw failure(expected: "the string's closing quote")
    }

    private mutating func escape(into unescaped: inout [UInt8]) throws(JSONError) {
        let start = position
        position += 1
        let character: UInt8
        switch current {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): character = bytes[position]
        case UInt8(ascii: "b"): character = 0x08
        case UInt8(ascii: "f"): character = 0x0C
        case UInt8(ascii: "n"): character = 0x0A
        case UInt8(ascii: "r"): character = 0x0D
        case UInt8(ascii: "t"): character = 0x09
        case UInt8(ascii: "u"):
            position += 1
            unescaped += try unicodeEscape(startedAt: start).utf8
            return
        default:
            let offset = current == nil ? position : start
            throw failure(
                expected: #"an escape: \" \\ \/ \b \f \n \r \t or \u and four hex digits"#, at: offset)
        }
        position += 1
        unescaped.append(character)
    }

    /// Reads the digits after `\u`, and a second escape where the first is half of a surrogate pair.
    private mutating func unicodeEscape(startedAt start: Int) throws(JSONError) -> Unicode.Scalar {
        var value = try hexDigits()
        if (0xD800...0xDBFF).contains(value), skip(UInt8(ascii: "\\")), skip(UInt8(ascii: "u")) {
            let low = try hexDigits()
            if (0xDC00...0xDFFF).contains(low) {
                value = 0x10000 + ((value - 0xD800) << 10) + (low - 0xDC00)
            }
        }
        guard let scalar = Unicode.Scalar(value) else {
            throw failure(expected: "both halves of a surrogate pair", at: current == nil ? position : start)
        }
        return scalar
    }

    private mutating func hexDigits() throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = current, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw failure(expected: "four hex digits")
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }

    /// Steps over one character of two to four bytes, if it is well-formed (Unicode, table 3-7): in its
    /// shortest form, no surrogate, at most U+10FFFF.
    private mutating func multibyteCharacter() throws(JSONError) {
        let length: Int
        var allowed: ClosedRange<UInt8> = 0x80...0xBF
        switch bytes[position] {
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, allowed) = (3, 0xA0...0xBF)
        case 0xED: (length, allowed) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, allowed) = (4, 0x90...0xBF)
        case 0xF1...0xF3: length = 4
        case 0xF4: (length, allowed) = (4, 0x80...0x8F)
        default: throw failure(expected: "well-formed UTF-8")
        }
        for offset in position + 1..<position + length {
            guard offset < bytes.count else {
                throw failure(expected: "the rest of a UTF-8 character", at: bytes.count)
            }
            guard allowed.contains(bytes[offset]) else { throw failure(expected: "well-formed UTF-8") }
            allowed = 0x80...0xBF
        }
        position += length
    }
}
