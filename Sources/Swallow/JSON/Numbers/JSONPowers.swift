/// Powers that ``JSONDouble`` multiplies by.
enum JSONPowers {
    typealias Wide = (high: UInt64, low: UInt64)

    /// 10^n, exact as a `Double` up to 22.
    @inline(__always)
    static func ten(_ exponent: Int) -> Double {
        tens[exponent]
    }

    /// The first 128 bits of 5^n, cut off; nothing beyond what any `Double` needs.
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

    /// Worked out once, when first used, in less than a millisecond; shorter than 651 lines of digits.
    private static let fives: [Wide] = {
        // 2^1856 / 5^n for n from 1 on: even the last has more than 128 bits. The quotient of a quotient is
        // that of the product, so dividing by 5 again and again loses nothing.
        var negative: [Wide] = []
        var quotient = [UInt64](repeating: 0, count: 29) + [1]
        for exponent in 1...(-smallest) {
            var remainder: UInt64 = 0
            for index in quotient.indices.reversed() {
                let (part, rest) = UInt64(5).dividingFullWidth((remainder, quotient[index]))
                quotient[index] = part
                remainder = rest
            }
            let (high, low) = top(of: quotient)
            // Rounded up as long as that makes the products of ties exact, as the algorithm's proof has it.
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

    /// The first 128 bits of a number, from its highest one on; its words come from the lowest on.
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
