import Foundation

extension JSON {
    /// The number as an `Int`, only if it is exactly that: `1.0` and `1e2` are, `1.5` and `1e30` are `nil`.
    public var int: Int? { integer() }

    /// The number as an `Int64`, only if it is exactly that. See ``int``.
    public var int64: Int64? { integer() }

    /// The number as a `UInt64`, only if it is exactly that. See ``int``.
    public var uint64: UInt64? { integer() }

    /// The `Double` nearest to the number (RFC 8259 §6); `nil` beyond `Double`'s range, such as `1e400`.
    public var double: Double? {
        guard case .number(let text) = content, let value = Double(text), value.isFinite else { return nil }
        return value
    }

    /// The number as a `Decimal`, rounded to the 38 digits it holds; `nil` beyond its range, such as `1e200`.
    public var decimal: Decimal? {
        guard case .number(let text) = content else { return nil }
        return Decimal(string: text) ?? (JSONNumber(text).isZero ? 0 : nil)
    }

    private func integer<Integer: FixedWidthInteger>() -> Integer? {
        guard case .number(let text) = content else { return nil }
        return Integer(text) ?? JSONNumber(text).integer()
    }
}

/// What a JSON number is worth, whatever its spelling: `1`, `1.0` and `10e-1` are all 1 × 10⁰.
///
/// Exponents that don't fit 32 bits are not worked out; such numbers are alike only if spelled alike.
struct JSONNumber: Hashable {
    private let isNegative: Bool
    /// The digits without zeros at either end, so none for zero; the spelling for a giant exponent.
    private let digits: [UInt8]
    private let exponent: Int64

    init(_ text: String) {
        let parts = text.utf8.split { $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E") }
        let significand = parts.first.map(Array.init) ?? []
        let fraction = significand.firstIndex(of: UInt8(ascii: ".")).map { significand[$0...].dropFirst() }
        let significant =
            significand
            .filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            .drop { $0 == UInt8(ascii: "0") }
        let trailingZeros = significant.reversed().prefix { $0 == UInt8(ascii: "0") }.count

        if significant.isEmpty {
            (isNegative, digits, exponent) = (false, [], 0)
        } else if let power = Int32(parts.count > 1 ? Substring(parts[1]) : "0") {
            isNegative = text.hasPrefix("-")
            digits = Array(significant.dropLast(trailingZeros))
            exponent = Int64(power) - Int64(fraction?.count ?? 0) + Int64(trailingZeros)
        } else {
            (isNegative, digits, exponent) = (text.hasPrefix("-"), Array(text.utf8), .max)
        }
    }

    var isZero: Bool { digits.isEmpty }

    /// The number as an integer, if it is one and fits.
    func integer<Integer: FixedWidthInteger>() -> Integer? {
        guard !isZero else { return 0 }
        guard (0..<40).contains(exponent) else { return nil }
        let zeros = String(repeating: "0", count: Int(exponent))
        return Integer((isNegative ? "-" : "") + String(decoding: digits, as: UTF8.self) + zeros)
    }
}
