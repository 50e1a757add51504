/// The `Double` nearest to a number, correctly rounded, ties to even.
///
/// Few digits and a small power of ten need one multiplication or division that rounds once (Clinger); the
/// others the algorithm of Eisel and Lemire (Number Parsing at a Gigabyte per Second, 2021), which multiplies
/// by a power of five of 128 bits and knows when that was not enough. Then the standard library decides.
enum JSONDouble {
    /// Nothing beyond `Double`'s range. The text must be a number by RFC 8259 §6.
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

    /// Nothing where the product's bits don't tell on which side of a tie the number is, and near the limits.
    private var eiselLemire: Double? {
        guard let power = JSONPowers.five(exponent) else { return nil }
        let shift = significand.leadingZeroBitCount
        let normalized = significand &<< UInt64(truncatingIfNeeded: shift)

        // 55 bits are enough: 52 of the fraction, the leading one, one to round, one the product may lose.
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
        // 217706 / 2^16 is log2(10), near enough for every exponent there is.
        var binary = ((217_706 &* exponent) &>> 16) &+ 63 &+ upper &- shift &+ 1023
        guard binary > 0, binary < 2046 else { return nil }

        // Exactly between two, to even: possible only where the product is exact.
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
