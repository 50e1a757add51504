/// Converts a number to the nearest `Double`, with ties to even. One operation is exact enough for few digits and a
/// small power of ten (Clinger). Otherwise, this mostly uses the algorithm of Eisel and Lemire (arXiv:2101.11408).
enum JSONDouble {
    /// Returns the nearest `Double`. `nil` beyond its range. The text must be a number as RFC 8259 §6 specifies.
    static func nearest(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
        guard let number = JSONDecimalDigits(text), let value = number.double else { return exact(text) }
        return value
    }

    @inline(never)
    private static func exact(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
        guard let value = Double(String(decoding: text, as: UTF8.self)), value.isFinite else { return nil }
        return value
    }
}

extension JSONDecimalDigits {
    var double: Double? {
        guard significand != 0 else { return isNegative ? -0.0 : 0 }
        if significand <= 1 << 53, (-22...22).contains(exponent) {
            let exact = Double(significand)
            let power = JSONPowers.ten(abs(exponent))
            let value = exponent < 0 ? exact / power : exact * power
            return isNegative ? -value : value
        }
        return eiselLemire
    }

    private var eiselLemire: Double? {
        guard let power = JSONPowers.five(exponent) else { return nil }
        let shift = significand.leadingZeroBitCount
        let normalized = significand &<< UInt64(truncatingIfNeeded: shift)

        // The 55 bits are a leading bit, the fraction's 52 bits, a rounding bit, and a bit that the shift may drop.
        let mask = UInt64.max &>> 55
        var (high, low) = normalized.multipliedFullWidth(by: power.high)
        if high & mask == mask {
            let (carry, _) = normalized.multipliedFullWidth(by: power.low)
            let (sum, overflow) = low.addingReportingOverflow(carry)
            low = sum
            if overflow { high &+= 1 }
            if low == .max, !(-27...55).contains(exponent) { return nil }
        }
        let upper = Int(high &>> 63)
        var fraction = high &>> UInt64(truncatingIfNeeded: upper &+ 9)
        // 217706 / 2^16 is log2(10), with enough precision for all exponents.
        var binary = ((217_706 &* exponent) &>> 16) &+ 63 &+ upper &- shift &+ 1023
        guard binary > 0, binary < 2046 else { return nil }

        // A tie is rounded to even. It is only possible for these exponents.
        if low <= 1, (-4...23).contains(exponent), fraction & 3 == 1,
            fraction &<< UInt64(truncatingIfNeeded: upper &+ 9) == high
        {
            fraction &= ~1
        }
        fraction = (fraction &+ (fraction & 1)) &>> 1
        if fraction >= 1 &<< 53 {
            fraction = 1 &<< 52
            binary &+= 1
        }
        let sign: UInt64 = isNegative ? 1 &<< 63 : 0
        return Double(bitPattern: sign | UInt64(binary) &<< 52 | (fraction & (1 &<< 52 &- 1)))
    }
}

private enum JSONPowers {
    typealias Wide = (high: UInt64, low: UInt64)

    @inline(__always)
    static func ten(_ exponent: Int) -> Double {
        tens[exponent]
    }

    /// The first 128 bits of 5^n, rounded up if -27 ≤ n < 0, and otherwise down. `nil` unless -342 ≤ n ≤ 308.
    @inline(__always)
    static func five(_ exponent: Int) -> Wide? {
        let index = exponent &- smallest
        return index >= 0 && index < fives.count ? fives[index] : nil
    }

    private static let smallest = -342
    private static let largest = 308

    private static let tens: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
        1e18, 1e19, 1e20, 1e21, 1e22,
    ]

    /// Computed at the first use, because the table would have 651 lines in source code.
    private static let fives: [Wide] = {
        var negative: [Wide] = []
        // After each round, this is 2^1856 / 5^exponent, rounded down. Repeated division is as exact as one division.
        var quotient = [UInt64](repeating: 0, count: 29) + [1]
        for exponent in 1...(-smallest) {
            var remainder: UInt64 = 0
            for index in quotient.indices.reversed() {
                let (part, rest) = UInt64(5).dividingFullWidth((remainder, quotient[index]))
                quotient[index] = part
                remainder = rest
            }
            let (high, low) = top(of: quotient)
            // As in Eisel and Lemire's table, the bits are rounded up for small exponents.
            let (sum, overflow) = low.addingReportingOverflow(exponent <= 27 ? 1 : 0)
            negative.append((overflow ? high &+ 1 : high, sum))
        }
        var positive: [Wide] = []
        var power = [UInt64(1)] + [UInt64](repeating: 0, count: 11)
        for _ in 0...largest {
            positive.append(top(of: power))
            var carry: UInt64 = 0
            for index in power.indices {
                let (high, low) = power[index].multipliedFullWidth(by: 5)
                let (sum, overflow) = low.addingReportingOverflow(carry)
                power[index] = sum
                carry = high &+ (overflow ? 1 : 0)
            }
        }
        return negative.reversed() + positive
    }()

    private static func top(of words: [UInt64]) -> Wide {
        let last = words.lastIndex { $0 != 0 } ?? 0
        let word = { (index: Int) -> UInt64 in index >= 0 ? words[index] : 0 }
        let shift = UInt64(words[last].leadingZeroBitCount)
        let joined = { (high: UInt64, low: UInt64) -> UInt64 in
            shift == 0 ? high : high &<< shift | low &>> (64 &- shift)
        }
        return (joined(word(last), word(last - 1)), joined(word(last - 1), word(last - 2)))
    }
}
