import Foundation

/// Values as most documents have them; nil for others.
extension JSONTape {
    @inline(__always)
    func bool(at position: Int) -> Bool? {
        switch word(at: position).kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    @inline(__always)
    func string(at position: Int) -> String? {
        let word = word(at: position)
        return word.isString ? string(word) : nil
    }

    @inline(__always)
    func integer<Integer: FixedWidthInteger>(at position: Int) -> Integer? {
        let word = word(at: position)
        return word.kind == .integer ? JSONInteger.exact(text(of: word), as: Integer.self) : nil
    }

    @inline(__always)
    func double(at position: Int) -> Double? {
        let word = word(at: position)
        return word.isNumber ? JSONDouble.nearest(text(of: word)) : nil
    }
}

extension JSONReading {
    @inline(__always)
    func isNull(at position: Int) -> Bool {
        tape.word(at: position).kind == .null
    }

    @inline(__always)
    func bool(at position: Int) throws -> Bool {
        guard let value = tape.bool(at: position) else {
            throw mismatch(Bool.self, at: position, nullIsMismatch: true)
        }
        return value
    }

    @inline(__always)
    func string(at position: Int) throws -> String {
        guard let value = tape.string(at: position) else { throw mismatch(String.self, at: position) }
        return value
    }

    @inline(__always)
    func integer<Integer: FixedWidthInteger>(_ type: Integer.Type, at position: Int) throws -> Integer {
        try tape.integer(at: position) ?? unusualInteger(type, at: position)
    }

    @inline(never)
    private func unusualInteger<Integer: FixedWidthInteger>(
        _ type: Integer.Type, at position: Int
    ) throws -> Integer {
        let word = tape.word(at: position)
        guard word.isNumber else { throw mismatch(type, at: position) }
        guard let value: Integer = JSONNumber(tape.string(word)).integer() else {
            throw beyond(type, at: position)
        }
        return value
    }

    @inline(__always)
    func double(at position: Int) throws -> Double {
        if let value = tape.double(at: position) { return value }
        guard tape.word(at: position).isNumber else { return try unusualFloat(at: position) }
        throw beyond(Double.self, at: position)
    }

    /// Goes by `Double` unless that could round twice: halfway between two `Float`s, and below the normal ones.
    func float(at position: Int) throws -> Float {
        let word = tape.word(at: position)
        guard word.isNumber else { return try unusualFloat(at: position) }
        if let double = JSONDouble.nearest(tape.text(of: word)) {
            let isHalfway = double.bitPattern & 0x1FFF_FFFF == 0x1000_0000
            let value = Float(double)
            if !isHalfway, value.isNormal { return value }
        }
        guard let value = Float(tape.string(word)), value.isFinite else {
            throw beyond(Float.self, at: position)
        }
        return value
    }

    @inline(never)
    private func unusualFloat<Value: BinaryFloatingPoint>(at position: Int) throws -> Value {
        let word = tape.word(at: position)
        if word.isString,
            case .convertFromString(let infinity, let minus, let nan) =
                options.nonConformingFloatDecodingStrategy
        {
            switch tape.string(word) {
            case infinity: return .infinity
            case minus: return -.infinity
            case nan: return .nan
            default: break
            }
        }
        throw mismatch(Value.self, at: position)
    }
}

// MARK: - Errors

extension JSONReading {
    /// The error for a null, or for a value of another type than was asked for. As in `JSONDecoder`, a null in place of
    /// a `Bool` is a type mismatch, and in place of anything else a missing value.
    @inline(never)
    func mismatch(_ type: Any.Type, at position: Int, nullIsMismatch: Bool = false) -> DecodingError {
        let found = name(of: tape.word(at: position).kind)
        let context = DecodingError.Context(
            codingPath: path(to: position), debugDescription: "expected \(type), found \(found)")
        let isMissing = isNull(at: position) && !nullIsMismatch
        return isMissing ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    func beyond(_ type: Any.Type, at position: Int) -> DecodingError {
        let text = tape.string(tape.word(at: position))
        return corrupted("the number \"\(text)\" does not fit in \(type)", at: position)
    }

    /// A description quotes the document in quotation marks: logs leave out what is quoted.
    func corrupted(_ description: String, at position: Int) -> DecodingError {
        .dataCorrupted(.init(codingPath: path(to: position), debugDescription: description))
    }

    private func name(of kind: JSONWord.Kind) -> String {
        switch kind {
        case .null: "null"
        case .true, .false: "a boolean"
        case .integer, .fraction: "a number"
        case .ascii, .text, .escaped: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
