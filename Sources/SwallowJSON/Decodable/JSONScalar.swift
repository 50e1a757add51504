import Foundation

protocol JSONScalar: JSONDirectlyDecodable, JSONDirectlyEncodable {
    /// Returns the value in the usual case, or `nil` if `read` must be called. With `read` alone, decoding
    /// models takes 2 to 9 % longer.
    static func usual(in tape: JSONTape, at position: Int) -> Self?

    static func read(in session: JSONDecodingSession, at position: Int) throws -> Self

    static func write(_ value: Self, to session: JSONEncodingSession)
}

extension JSONScalar {
    @inline(__always)
    static func read(in session: JSONDecodingSession, at position: Int, depth: Int) throws -> Self {
        try read(in: session, at: position)
    }
}

extension Bool: JSONScalar {
    @inline(__always)
    static func usual(in tape: JSONTape, at position: Int) -> Bool? {
        switch tape.word(at: position).kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    @inline(__always)
    static func read(in session: JSONDecodingSession, at position: Int) throws -> Bool {
        guard let value = usual(in: session.tape, at: position) else {
            throw session.mismatch(Bool.self, at: position, nullIsMismatch: true)
        }
        return value
    }

    @inline(__always)
    static func write(_ value: Bool, to session: JSONEncodingSession) {
        session.buffer.append(value ? "true" : "false")
    }
}

extension String: JSONScalar {
    @inline(__always)
    static func usual(in tape: JSONTape, at position: Int) -> String? {
        let word = tape.word(at: position)
        return word.isString ? tape.string(word) : nil
    }

    @inline(__always)
    static func read(in session: JSONDecodingSession, at position: Int) throws -> String {
        guard let value = usual(in: session.tape, at: position) else {
            throw session.mismatch(String.self, at: position)
        }
        return value
    }

    @inline(__always)
    static func write(_ value: String, to session: JSONEncodingSession) {
        session.buffer.append(string: value)
    }
}

extension Double: JSONScalar {
    @inline(__always)
    static func usual(in tape: JSONTape, at position: Int) -> Double? {
        let word = tape.word(at: position)
        return word.isNumber ? JSONDouble.nearest(tape.text(of: word)) : nil
    }

    @inline(__always)
    static func read(in session: JSONDecodingSession, at position: Int) throws -> Double {
        if let value = usual(in: session.tape, at: position) { return value }
        guard session.tape.word(at: position).isNumber else { return try session.unusualFloat(at: position) }
        throw session.beyond(Double.self, at: position)
    }

    static func write(_ value: Double, to session: JSONEncodingSession) {
        guard value.isFinite else { return session.fallBack() }
        session.buffer.append(number: value)
    }
}

extension Float: JSONScalar {
    static func usual(in tape: JSONTape, at position: Int) -> Float? { nil }

    /// Returns the nearest `Float`. If the nearest `Double` is halfway between two `Float`s, or too small for a normal
    /// `Float`, the text is read again, because converting the `Double` would round twice.
    static func read(in session: JSONDecodingSession, at position: Int) throws -> Float {
        let word = session.tape.word(at: position)
        guard word.isNumber else { return try session.unusualFloat(at: position) }
        if let double = JSONDouble.nearest(session.tape.text(of: word)) {
            let isHalfway = double.bitPattern & 0x1FFF_FFFF == 0x1000_0000
            let value = Float(double)
            if !isHalfway, value.isNormal { return value }
        }
        guard let value = Float(session.tape.string(word)), value.isFinite else {
            throw session.beyond(Float.self, at: position)
        }
        return value
    }

    static func write(_ value: Float, to session: JSONEncodingSession) {
        guard value.isFinite else { return session.fallBack() }
        session.buffer.append(number: value)
    }
}

extension FixedWidthInteger where Self: JSONScalar {
    @inline(__always)
    static func usual(in tape: JSONTape, at position: Int) -> Self? {
        let word = tape.word(at: position)
        return word.kind == .integer ? JSONInteger.exact(tape.text(of: word), as: Self.self) : nil
    }

    @inline(__always)
    static func read(in session: JSONDecodingSession, at position: Int) throws -> Self {
        try usual(in: session.tape, at: position) ?? session.unusualInteger(at: position)
    }

    @inline(__always)
    static func write(_ value: Self, to session: JSONEncodingSession) {
        session.buffer.append(number: value)
    }
}

extension Int: JSONScalar {}
extension Int8: JSONScalar {}
extension Int16: JSONScalar {}
extension Int32: JSONScalar {}
extension Int64: JSONScalar {}
extension UInt: JSONScalar {}
extension UInt8: JSONScalar {}
extension UInt16: JSONScalar {}
extension UInt32: JSONScalar {}
extension UInt64: JSONScalar {}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension Int128: JSONScalar {}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension UInt128: JSONScalar {}

extension JSONDecodingSession {
    @inline(__always)
    func isNull(at position: Int) -> Bool {
        tape.word(at: position).kind == .null
    }

    @inline(never)
    fileprivate func unusualInteger<Integer: FixedWidthInteger>(at position: Int) throws -> Integer {
        let word = tape.word(at: position)
        guard word.isNumber else { throw mismatch(Integer.self, at: position) }
        guard let value: Integer = JSONNumber(tape.string(word)).integer() else {
            throw beyond(Integer.self, at: position)
        }
        return value
    }

    @inline(never)
    fileprivate func unusualFloat<Value: BinaryFloatingPoint>(at position: Int) throws -> Value {
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

extension JSONDecodingSession {
    /// Returns `.valueNotFound` for `null`, unless `nullIsMismatch` is true, and otherwise `.typeMismatch`.
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

    /// Returns `.dataCorrupted`. Write the document's text in quotation marks, so that logs can redact it.
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
