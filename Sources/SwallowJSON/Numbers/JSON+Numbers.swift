import Foundation

extension JSON {
    /// The number as an `Int`, or `nil` if an `Int` can't represent the value. `1.0` and `1e2` are integers.
    public var int: Int? { integer() }

    /// The number as an `Int64`, or `nil` if an `Int64` can't represent the value. `1.0` and `1e2` are integers.
    public var int64: Int64? { integer() }

    package var uint64: UInt64? { integer() }

    /// The number as the nearest `Double` (RFC 8259 §6). `nil` for other values, and for numbers such as `1e400`.
    public var double: Double? {
        read { tape, word in word.isNumber ? JSONDouble.nearest(tape.text(of: word)) : nil }
    }

    /// The number as a `Decimal`, which has at least 38 exact digits. Further digits may be dropped. `nil` for other
    /// values, and for numbers beyond the range of `Decimal`.
    public var decimal: Decimal? {
        read { tape, word in word.isNumber ? JSONNumber.decimal(tape.text(of: word)) : nil }
    }

    func integer<Integer: FixedWidthInteger>() -> Integer? {
        read { tape, word in
            switch word.kind {
            case .integer: JSONInteger.exact(tape.text(of: word), as: Integer.self)
            case .fraction: JSONNumber(tape.string(word)).integer()
            default: nil
            }
        }
    }
}

enum JSONInteger {
    @inline(__always)
    static func exact<Integer: FixedWidthInteger>(
        _ text: UnsafeBufferPointer<UInt8>, as type: Integer.Type
    ) -> Integer? {
        guard let start = text.baseAddress, text.count < 20 else { return long(text, as: type) }
        let isNegative = start.pointee == UInt8(ascii: "-")
        // A UInt64 can represent each number of up to 19 digits.
        var value: UInt64 = 0
        for index in (isNegative ? 1 : 0)..<text.count {
            value = value &* 10 &+ UInt64(start[index] &- UInt8(ascii: "0"))
        }
        guard isNegative else { return Integer(exactly: value) }
        guard value <= UInt64(Int64.max) else { return long(text, as: type) }
        return Integer(exactly: -Int64(bitPattern: value))
    }

    @inline(never)
    private static func long<Integer: FixedWidthInteger>(
        _ text: UnsafeBufferPointer<UInt8>, as type: Integer.Type
    ) -> Integer? {
        let text = String(decoding: text, as: UTF8.self)
        return Integer(text) ?? JSONNumber(text).integer()
    }
}
