import Foundation

/// UTF-8 text that grows. The owner must call `deallocate()`.
struct JSONTextBuffer {
    private var start: UnsafeMutablePointer<UInt8>
    private var end: UnsafeMutablePointer<UInt8>
    private var limit: UnsafeMutablePointer<UInt8>
    private let escapesSlashes: Bool

    init(escapesSlashes: Bool = false) {
        start = .allocate(capacity: 1024)
        end = start
        limit = start + 1024
        self.escapesSlashes = escapesSlashes
    }

    func deallocate() {
        start.deallocate()
    }

    var count: Int { end - start }

    var data: Data { Data(bytes: start, count: count) }

    var text: UnsafeBufferPointer<UInt8> { text(0..<count) }

    func text(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: start + range.lowerBound, count: range.count)
    }

    @inline(__always)
    private mutating func reserve(_ count: Int) {
        if limit - end < count { grow(count) }
    }

    @inline(never)
    private mutating func grow(_ count: Int) {
        let used = end - start
        let size = max(2 * (limit - start), used + count)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: size)
        larger.update(from: start, count: used)
        start.deallocate()
        start = larger
        end = larger + used
        limit = larger + size
    }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        reserve(1)
        end.pointee = byte
        end += 1
    }

    mutating func append(_ text: StaticString) {
        append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func append(text: String) {
        var text = text
        text.withUTF8 { append($0) }
    }

    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let first = bytes.baseAddress else { return }
        reserve(bytes.count)
        end.update(from: first, count: bytes.count)
        end += bytes.count
    }
}

extension JSONTextBuffer {
    /// Appends a string with quotes and escapes (RFC 8259 §7), and returns the range between the quotes.
    @discardableResult @inline(__always)
    mutating func append(string: String) -> Range<Int> {
        var string = string
        return string.withUTF8 { append(string: $0) }
    }

    mutating func append(string bytes: UnsafeBufferPointer<UInt8>) -> Range<Int> {
        // There must be room for both quotes and for eight bytes after the text, which are written as one integer.
        reserve(bytes.count + 10)
        let text = end + 1
        end.pointee = UInt8(ascii: "\"")
        if let first = bytes.baseAddress { text.update(from: first, count: bytes.count) }
        let textEnd = text + bytes.count
        UnsafeMutableRawPointer(textEnd).storeBytes(of: Self.each(UInt8(ascii: "a")), as: UInt64.self)
        var place = text
        while place < textEnd {
            if mayNeedEscape(UnsafeRawPointer(place).loadUnaligned(as: UInt64.self)) {
                return append(escaping: bytes)
            }
            place += 8
        }
        textEnd.pointee = UInt8(ascii: "\"")
        end = textEnd + 1
        return text - start..<textEnd - start
    }

    private mutating func append(escaping bytes: UnsafeBufferPointer<UInt8>) -> Range<Int> {
        // A control character takes up to six bytes.
        reserve(6 * bytes.count + 10)
        append(UInt8(ascii: "\""))
        let textStart = count
        var index = 0
        while index < bytes.count {
            if index + 8 <= bytes.count {
                let word = UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: index, as: UInt64.self)
                if !mayNeedEscape(word) {
                    UnsafeMutableRawPointer(end).storeBytes(of: word, as: UInt64.self)
                    end += 8
                    index += 8
                    continue
                }
            }
            let byte = bytes[index]
            index += 1
            switch byte {
            case UInt8(ascii: "/") where escapesSlashes, UInt8(ascii: "\""), UInt8(ascii: "\\"):
                end[0] = UInt8(ascii: "\\")
                end[1] = byte
                end += 2
            case ..<0x20: append(controlCharacter: byte)
            default:
                end.pointee = byte
                end += 1
            }
        }
        let text = textStart..<count
        append(UInt8(ascii: "\""))
        return text
    }

    private mutating func append(controlCharacter byte: UInt8) {
        switch byte {
        case 0x08: append(#"\b"#)
        case 0x09: append(#"\t"#)
        case 0x0A: append(#"\n"#)
        case 0x0C: append(#"\f"#)
        case 0x0D: append(#"\r"#)
        default:
            append(byte < 0x10 ? #"\u000"# : #"\u001"#)
            let digit = byte & 0xF
            append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit)
        }
    }

    /// Returns whether one of eight bytes may need an escape. Never `false` if one of them does.
    @inline(__always)
    private func mayNeedEscape(_ word: UInt64) -> Bool {
        let slashes = escapesSlashes ? Self.zeros(word ^ Self.each(UInt8(ascii: "/"))) : 0
        let quotes = Self.zeros(word ^ Self.each(UInt8(ascii: "\"")))
        let backslashes = Self.zeros(word ^ Self.each(UInt8(ascii: "\\")))
        let controls = (word &- Self.each(0x20)) & ~word
        return (slashes | quotes | backslashes | controls) & Self.each(0x80) != 0
    }

    /// Sets the highest bit of each zero byte. The bit may also be set in bytes above a zero byte.
    @inline(__always)
    private static func zeros(_ word: UInt64) -> UInt64 { (word &- each(1)) & ~word }

    @inline(__always)
    private static func each(_ byte: UInt8) -> UInt64 { 0x0101_0101_0101_0101 &* UInt64(byte) }
}

extension JSONTextBuffer {
    /// Returns a hash of the text, or `nil` if it isn't ASCII. Different texts rarely have the same hash.
    @inline(__always)
    func fingerprint(ofASCII text: Range<Int>) -> UInt64? {
        let bytes = UnsafeRawPointer(start + text.lowerBound)
        var fingerprint = UInt64(truncatingIfNeeded: text.count)
        var all: UInt64 = 0
        var index = 0
        while index <= text.count {
            // The buffer has room for eight bytes after the text.
            var word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            word &= JSONName.mask(of: text.count - index)
            all |= word
            fingerprint = (fingerprint ^ word) &* 0x9E37_79B9_7F4A_7C15
            fingerprint ^= fingerprint &>> 32
            index += 8
        }
        return all & Self.each(0x80) == 0 ? fingerprint : nil
    }
}

extension JSONTextBuffer {
    @inline(__always)
    mutating func append(number: some FixedWidthInteger) {
        guard number.bitWidth <= 64 else { return append(spelled: String(number)) }
        append(digits: UInt64(truncatingIfNeeded: number.magnitude), isNegative: number < 0)
    }

    mutating func append(digits: UInt64, isNegative: Bool) {
        reserve(20)
        if isNegative { append(UInt8(ascii: "-")) }
        var count = 1
        var power: UInt64 = 10
        while count < 20, digits >= power {
            count += 1
            let (next, overflow) = power.multipliedReportingOverflow(by: 10)
            if overflow { break }
            power = next
        }
        var rest = digits
        var place = end + count
        end = place
        repeat {
            place -= 1
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            place.pointee = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: digit)
            rest = quotient
        } while rest > 0
    }

    /// Appends a finite number as Swift spells it, but without `.0`.
    mutating func append(number: Double) {
        // Below this limit, the standard library also writes whole numbers without an exponent.
        if abs(number) < 0x1p53, let whole = Int64(exactly: number), whole != 0 || number.sign == .plus {
            return append(number: whole)
        }
        append(spelled: number.description)
    }

    mutating func append(number: Float) {
        append(spelled: number.description)
    }

    mutating func append(spelled number: String) {
        var number = number
        number.withUTF8 { bytes in
            let isWhole =
                bytes.count > 2 && bytes[bytes.count - 2] == UInt8(ascii: ".")
                && bytes.last == UInt8(ascii: "0")
            append(isWhole ? UnsafeBufferPointer(rebasing: bytes.dropLast(2)) : bytes)
        }
    }
}
