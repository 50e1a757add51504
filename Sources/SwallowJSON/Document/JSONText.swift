/// Creates strings. Newer systems needn't validate the bytes, so 180 bytes of Japanese take a third of the time.
enum JSONText {
    @inline(__always)
    static func string(_ text: UnsafeBufferPointer<UInt8>, isASCII: Bool) -> String {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            return String(copying: UTF8Span(unchecked: text.span, isKnownASCII: isASCII))
        }
        return String(decoding: text, as: UTF8.self)
    }

    @inline(never)
    static func unescaped(_ text: UnsafeBufferPointer<UInt8>) -> String {
        // The unescaped text is never longer than `text`, but the last write of eight bytes may go past its end.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: text.count &+ 8) { output in
            guard let input = text.baseAddress, let start = output.baseAddress else { return "" }
            var isASCII = true
            let end = unescape(input, to: input + text.count, into: start, &isASCII)
            return string(UnsafeBufferPointer(start: start, count: end - start), isASCII: isASCII)
        }
    }

    @inline(__always)
    private static func unescape(
        _ input: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>, into output: UnsafeMutablePointer<UInt8>,
        _ isASCII: inout Bool
    ) -> UnsafeMutablePointer<UInt8> {
        var (place, next) = (input, output)
        var bits: UInt64 = 0
        while place < end {
            let chunk = JSONScanner.load8(place)
            let zeros = chunk ^ 0x5C5C_5C5C_5C5C_5C5C
            let found = (zeros &- 0x0101_0101_0101_0101) & ~zeros & 0x8080_8080_8080_8080
            let length = min(found.trailingZeroBitCount &>> 3, end - place)
            UnsafeMutableRawPointer(next).storeBytes(of: chunk.littleEndian, as: UInt64.self)
            bits |= chunk & JSONName.mask(of: length)
            (place, next) = (place + length, next + length)
            guard length < 8, place < end else { continue }
            if place[1] == UInt8(ascii: "u") {
                place += unicode(place, into: &next, &isASCII)
            } else {
                next.pointee = character(escapedAs: place[1])
                (place, next) = (place + 2, next + 1)
            }
        }
        if bits & 0x8080_8080_8080_8080 != 0 { isASCII = false }
        return next
    }

    private static func character(escapedAs byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: byte
        }
    }

    private static func unicode(
        _ input: UnsafePointer<UInt8>, into next: inout UnsafeMutablePointer<UInt8>, _ isASCII: inout Bool
    ) -> Int {
        let first = (try? JSONScanner.hexDigits(input + 2)) ?? 0
        let isPair = (0xD800...0xDBFF).contains(first)
        let second = isPair ? (try? JSONScanner.hexDigits(input + 8)) ?? 0 : 0
        let value = isPair ? 0x10000 + ((first & 0x3FF) << 10) + (second & 0x3FF) : first
        let scalar = Unicode.Scalar(value) ?? "\u{FFFD}"
        if !scalar.isASCII { isASCII = false }
        for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
            next.pointee = byte
            next += 1
        }
        return isPair ? 12 : 6
    }
}
