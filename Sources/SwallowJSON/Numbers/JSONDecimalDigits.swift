import Foundation

struct JSONDecimalDigits {
    private(set) var isNegative = false
    private(set) var significand: UInt64 = 0
    private(set) var exponent = 0

    /// Creates the digits of a number. `nil` if it has more than 63 bytes, 19 significant digits or 9 exponent digits.
    @inline(__always)
    init?(_ text: UnsafeBufferPointer<UInt8>) {
        guard let start = text.baseAddress, text.count > 0, text.count < 64 else { return nil }
        let end = start + text.count
        var place = start
        if place.pointee == UInt8(ascii: "-") {
            isNegative = true
            place += 1
        }
        let digitsStart = place
        appendDigits(&place, end)
        var digits = place - digitsStart
        if place < end, place.pointee == UInt8(ascii: ".") {
            place += 1
            let fractionStart = place
            appendDigits(&place, end)
            exponent = fractionStart - place
            digits &-= exponent
        }
        if digits > 19 {
            var first = digitsStart
            while first < end, first.pointee == UInt8(ascii: "0") || first.pointee == UInt8(ascii: ".") {
                if first.pointee == UInt8(ascii: "0") { digits &-= 1 }
                first += 1
            }
            if digits > 19 { return nil }
        }
        if place < end {
            guard let power = Self.power(place + 1, end) else { return nil }
            exponent &+= power
        }
    }

    @inline(__always)
    private mutating func appendDigits(_ place: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) {
        while end - place >= 8 {
            let bytes = JSONScanner.load8(place)
            guard JSONScanner.nonDigits(bytes) == 0 else { break }
            significand = significand &* 100_000_000 &+ Self.eightDigits(bytes)
            place += 8
        }
        while place < end, JSONScanner.isDigit(place.pointee) {
            significand = significand &* 10 &+ UInt64(place.pointee &- UInt8(ascii: "0"))
            place += 1
        }
    }

    /// Combines eight digits into four pairs, and then the pairs into one number.
    @inline(__always)
    private static func eightDigits(_ bytes: UInt64) -> UInt64 {
        let digits = bytes &- 0x3030_3030_3030_3030
        let pairs = digits &* 10 &+ (digits &>> 8)
        let low = (pairs & 0x0000_00FF_0000_00FF) &* 0x000F_4240_0000_0064
        let high = ((pairs &>> 16) & 0x0000_00FF_0000_00FF) &* 0x0000_2710_0000_0001
        return UInt64(UInt32(truncatingIfNeeded: (low &+ high) &>> 32))
    }

    private static func power(_ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) -> Int? {
        var place = start
        let isNegative = place.pointee == UInt8(ascii: "-")
        if isNegative || place.pointee == UInt8(ascii: "+") { place += 1 }
        guard end - place <= 9 else { return nil }
        var power = 0
        while place < end {
            power = power &* 10 &+ Int(place.pointee &- UInt8(ascii: "0"))
            place += 1
        }
        return isNegative ? -power : power
    }
}

extension JSONDecimalDigits {
    var decimal: Decimal? {
        guard (-100...100).contains(exponent) else { return nil }
        return Decimal(
            sign: isNegative && significand != 0 ? .minus : .plus, exponent: exponent,
            significand: Decimal(significand))
    }
}
