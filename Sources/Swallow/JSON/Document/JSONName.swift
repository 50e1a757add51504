/// A member's name to look for, as bytes.
///
/// Names are equal where Swift's strings are, that is by canonical equivalence: `é` may be one scalar or two,
/// and the Kelvin sign is a `K`. Equal bytes are tried first, and suffice where all is ASCII.
///
/// Eight bytes are compared at once, and those of the name where they are, without a copy.
struct JSONName {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let isASCII: Bool
    private let head: UInt32
    /// The first eight bytes, or fewer and zeros, and where they are bytes of the name.
    private let start: UInt64
    private let mask: UInt64

    /// The name is for use inside `body` only, where its bytes are valid.
    @inline(__always)
    static func with<Result>(_ name: String, _ body: (JSONName) throws -> Result) rethrows -> Result {
        if let result = try name.utf8.withContiguousStorageIfAvailable({ try body(JSONName($0)) }) {
            return result
        }
        return try withCopy(name, body)
    }

    /// Only Apple's platforms have such strings: those that came from Objective-C.
    @inline(never)
    private static func withCopy<Result>(
        _ name: String, _ body: (JSONName) throws -> Result
    ) rethrows -> Result {
        var copy = name
        return try copy.withUTF8 { bytes in try body(JSONName(bytes)) }
    }

    @inline(__always)
    private init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
        start = Self.start(of: bytes)
        mask = bytes.count >= 8 ? .max : 1 &<< UInt64(truncatingIfNeeded: 8 &* bytes.count) &- 1
        isASCII = start & 0x8080_8080_8080_8080 == 0 && (bytes.count <= 8 || Self.isASCII(bytes))
        // A longer name than any in a document must not be cut to the length of another: no kind is 15.
        head =
            bytes.count <= JSONWord.lengthLimit
            ? JSONWord(isASCII ? .ascii : .text, length: bytes.count).head : .max
    }

    /// Overlapping parts have the same bits.
    @inline(__always)
    private static func start(of bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
        guard let base = bytes.baseAddress, bytes.count > 0 else { return 0 }
        let count = bytes.count
        if count >= 8 { return JSONScanner.load8(base) }
        if count >= 4 {
            let last = UInt64(JSONScanner.load4(base + (count &- 4)))
            return UInt64(JSONScanner.load4(base)) | last &<< UInt64(truncatingIfNeeded: 8 &* (count &- 4))
        }
        let (middle, last) = (count &>> 1, count &- 1)
        return UInt64(base[0]) | UInt64(base[middle]) &<< UInt64(truncatingIfNeeded: 8 &* middle)
            | UInt64(base[last]) &<< UInt64(truncatingIfNeeded: 8 &* last)
    }

    /// The value's position of the first member of this name between two positions, both of names; negative if there
    /// is none.
    @inline(__always)
    func position(in tape: JSONTape, from start: Int, to end: Int) -> Int {
        var position = start
        while position < end {
            if matches(tape.word(at: position), in: tape) { return position &+ 1 }
            position = tape.end(of: position &+ 1)
        }
        return -1
    }

    @inline(__always)
    func matches(_ word: JSONWord, in tape: JSONTape) -> Bool {
        if word.head == head, equals(tape.bytes + word.offset) { return true }
        if isASCII && word.kind == .ascii { return false }
        return equalsCanonically(word, in: tape)
    }

    @inline(never)
    private func equalsCanonically(_ word: JSONWord, in tape: JSONTape) -> Bool {
        tape.string(word) == String(decoding: bytes, as: UTF8.self)
    }

    private static func isASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        bytes.allSatisfy { $0 < 0x80 }
    }

    /// Compares with as many bytes of a document, whose padding makes loading eight legal.
    @inline(__always)
    private func equals(_ other: UnsafePointer<UInt8>) -> Bool {
        guard JSONScanner.load8(other) & mask == start else { return false }
        guard bytes.count > 8, let base = bytes.baseAddress else { return true }
        var index = 8
        while index &+ 8 < bytes.count {
            guard JSONScanner.load8(base + index) == JSONScanner.load8(other + index) else { return false }
            index &+= 8
        }
        index = bytes.count &- 8
        return JSONScanner.load8(base + index) == JSONScanner.load8(other + index)
    }

    /// A bit that two equal names of ASCII always share and others rarely do; all bits for other names.
    @inline(__always)
    static func trace(of word: JSONWord, in tape: JSONTape) -> UInt64 {
        guard word.kind == .ascii else { return .max }
        let bytes = UnsafeRawPointer(tape.bytes + word.offset)
        let length = word.length
        // Padding makes the load legal; the bytes after a shorter name are shifted out.
        let start = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
        let mixed =
            (length >= 8 ? start : start &<< UInt64(truncatingIfNeeded: 64 &- 8 &* length)) &+ UInt64(length)
        let last = length > 8 ? UInt64(tape.bytes[word.offset &+ length &- 1]) &<< 20 : 0
        return 1 &<< (((mixed ^ last) &* 0x9E37_79B9_7F4A_7C15) &>> 58)
    }
}
