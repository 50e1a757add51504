struct JSONDiagnosis {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    mutating func value(at offset: Int) -> JSONError {
        failure(at: offset) { diagnosis throws(JSONError) in try diagnosis.value() }
    }

    mutating func name(at offset: Int) -> JSONError {
        failure(at: offset) { diagnosis throws(JSONError) in
            guard diagnosis.current == UInt8(ascii: "\"") else {
                throw diagnosis.failure(expected: "a member's name in double quotes")
            }
            try diagnosis.string()
        }
    }

    private mutating func failure(
        at offset: Int, _ read: (inout JSONDiagnosis) throws(JSONError) -> Void
    ) -> JSONError {
        position = offset
        do {
            try read(&self)
            let limit = "at most \(JSONWord.lengthLimit) bytes in a string or number"
            return failure(expected: limit, at: offset)
        } catch {
            return error
        }
    }

    private mutating func value() throws(JSONError) {
        switch current ?? 0 {
        case UInt8(ascii: "\""): try string()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
        case UInt8(ascii: "t"): try literal("true")
        case UInt8(ascii: "f"): try literal("false")
        case UInt8(ascii: "n"): try literal("null")
        default: throw failure(expected: "a value")
        }
    }

    private var current: UInt8? {
        position < bytes.count ? bytes[position] : nil
    }

    private mutating func skip(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        position += 1
        return true
    }

    private func failure(expected: String) -> JSONError {
        failure(expected: expected, at: position)
    }

    private func failure(expected: String, at offset: Int) -> JSONError {
        JSONError(expected: expected, at: offset, in: bytes)
    }
}

extension JSONDiagnosis {
    private mutating func literal(_ literal: String) throws(JSONError) {
        let found = bytes.dropFirst(position).prefix(literal.utf8.count)
        guard found.elementsEqual(literal.utf8) else {
            let isCutOff = found.endIndex == bytes.count && literal.utf8.starts(with: found)
            throw failure(expected: "'\(literal)'", at: isCutOff ? bytes.count : position)
        }
        position += found.count
    }

    private mutating func number() throws(JSONError) {
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

extension JSONDiagnosis {
    private mutating func string() throws(JSONError) {
        position += 1
        while let byte = current {
            switch byte {
            case UInt8(ascii: "\""): return position += 1
            case UInt8(ascii: "\\"): try escape()
            case ..<0x20: throw failure(expected: "control characters in a string to be escaped")
            case ..<0x80: position += 1
            default: try multibyteCharacter()
            }
        }
        throw failure(expected: "the string's closing quote")
    }

    private mutating func escape() throws(JSONError) {
        let start = position
        position += 1
        switch current {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 1
        case UInt8(ascii: "u"):
            position += 1
            try unicodeEscape(startedAt: start)
        default:
            let offset = current == nil ? position : start
            throw failure(
                expected: #"an escape: \" \\ \/ \b \f \n \r \t or \u and four hex digits"#, at: offset)
        }
    }

    private mutating func unicodeEscape(startedAt start: Int) throws(JSONError) {
        var value = try hexDigits()
        if (0xD800...0xDBFF).contains(value), skip(UInt8(ascii: "\\")), skip(UInt8(ascii: "u")) {
            let low = try hexDigits()
            if (0xDC00...0xDFFF).contains(low) {
                value = 0x10000 + ((value - 0xD800) << 10) + (low - 0xDC00)
            }
        }
        guard Unicode.Scalar(value) != nil else {
            throw failure(expected: "both halves of a surrogate pair", at: current == nil ? position : start)
        }
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

    /// Skips a well-formed character of two to four bytes (Unicode Standard, table 3-7).
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
