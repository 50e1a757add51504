import Foundation

/// The value of a JSON number, so that `1` equals `1.0`.
struct JSONNumber: Hashable {
    private let isNegative: Bool
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
            let isTiny = parts.last?.first == UInt8(ascii: "-")
            (isNegative, digits, exponent) = (text.hasPrefix("-"), Array(text.utf8), isTiny ? .min : .max)
        }
    }

    static func decimal(_ text: UnsafeBufferPointer<UInt8>) -> Decimal? {
        if let decimal = JSONDecimalDigits(text)?.decimal { return decimal }
        let text = String(decoding: text, as: UTF8.self)
        return Decimal(string: text) ?? (JSONNumber(text).isZero ? 0 : nil)
    }

    var isZero: Bool { digits.isEmpty }

    var isWhole: Bool { isZero || exponent >= 0 }

    func integer<Integer: FixedWidthInteger>() -> Integer? {
        guard !isZero else { return 0 }
        guard (0..<40).contains(exponent) else { return nil }
        let zeros = String(repeating: "0", count: Int(exponent))
        return Integer((isNegative ? "-" : "") + String(decoding: digits, as: UTF8.self) + zeros)
    }
}
