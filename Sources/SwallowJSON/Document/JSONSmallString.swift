import Foundation

/// Short strings of ASCII, put together in registers.
///
/// A string of up to fifteen bytes is those bytes, and their number in the sixteenth. The standard library has no
/// quick way to it: 80 short texts take 8 % less time so. Where strings look otherwise, they are made as others are.
enum JSONSmallString {
    static let limit = 15

    /// Whether the standard library's strings are what is expected here. Debug builds do without where the environment
    /// has `SWALLOW_PLAIN_STRINGS`, for tests of the other way.
    static let isKnown: Bool = {
        #if DEBUG
            if ProcessInfo.processInfo.environment["SWALLOW_PLAIN_STRINGS"] != nil { return false }
        #endif
        return isLayout(of: { String(decoding: $0, as: UTF8.self) })
    }()

    /// Whether strings are what is expected here, tried with each length.
    static func isLayout(of make: (ArraySlice<UInt8>) -> String) -> Bool {
        guard MemoryLayout<String>.size == MemoryLayout<Bits>.size else { return false }
        return (0...limit).allSatisfy { count in
            let text = Array("0123456789abcdef".utf8)
            let expected = make(text[..<count])
            return text.withUnsafeBufferPointer { text in
                text.baseAddress.map { bits($0, count: count) == unsafeBitCast(expected, to: Bits.self) }
                    ?? false
            }
        }
    }

    /// Loads sixteen bytes, whatever the count.
    @inline(__always)
    static func string(_ text: UnsafePointer<UInt8>, count: Int) -> String {
        unsafeBitCast(bits(text, count: count), to: String.self)
    }

    private typealias Bits = (UInt64, UInt64)

    @inline(__always)
    private static func bits(_ text: UnsafePointer<UInt8>, count: Int) -> Bits {
        let start = JSONScanner.load8(text) & JSONName.mask(of: count)
        let end = count > 8 ? JSONScanner.load8(text + 8) & JSONName.mask(of: count &- 8) : 0
        return (start, end | UInt64(truncatingIfNeeded: 0xE0 | count) &<< 56)
    }
}
