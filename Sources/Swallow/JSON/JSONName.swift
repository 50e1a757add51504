/// A member's name to look for, as bytes.
///
/// Names are equal where Swift's strings are, that is by canonical equivalence: `é` may be one scalar or two,
/// and the Kelvin sign is a `K`. Equal bytes are tried first, and suffice where all is ASCII.
struct JSONName {
    private let name: String
    private let bytes: UnsafeBufferPointer<UInt8>
    private let isASCII: Bool
    private let head: UInt32

    /// The name is for use inside `body` only, where its bytes are valid.
    @inline(__always)
    static func with<Result>(_ name: String, _ body: (JSONName) throws -> Result) rethrows -> Result {
        var copy = name
        return try copy.withUTF8 { bytes in try body(JSONName(name, bytes)) }
    }

    @inline(__always)
    private init(_ name: String, _ bytes: UnsafeBufferPointer<UInt8>) {
        self.name = name
        self.bytes = bytes
        isASCII = Self.isASCII(bytes)
        // A longer name than any in a document must not be cut to the length of another.
        let length = bytes.count <= JSONWord.lengthLimit ? bytes.count : 0
        head = JSONWord(isASCII ? .ascii : .text, length: length).head
    }

    /// The value of the first member of this name between two positions, both of names.
    @inline(__always)
    func position(in tape: JSONTape, from start: Int, to end: Int) -> Int? {
        var position = start
        while position < end {
            if matches(tape.word(at: position), in: tape) { return position &+ 1 }
            position = tape.end(of: position &+ 1)
        }
        return nil
    }

    @inline(__always)
    func matches(_ word: JSONWord, in tape: JSONTape) -> Bool {
        if word.head == head, equals(tape.bytes + word.offset, count: word.length) { return true }
        if isASCII && word.kind == .ascii { return false }
        return tape.string(word) == name
    }

    @inline(__always)
    private static func isASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let base = bytes.baseAddress else { return true }
        var index = 0
        var union: UInt64 = 0
        while index &+ 8 <= bytes.count {
            union |= UnsafeRawPointer(base).loadUnaligned(fromByteOffset: index, as: UInt64.self)
            index &+= 8
        }
        while index < bytes.count {
            union |= UInt64(base[index])
            index &+= 1
        }
        return union & 0x8080_8080_8080_8080 == 0
    }

    @inline(__always)
    private func equals(_ other: UnsafePointer<UInt8>, count: Int) -> Bool {
        guard count == bytes.count, let base = bytes.baseAddress else { return count == bytes.count }
        var index = 0
        let mine = UnsafeRawPointer(base)
        let theirs = UnsafeRawPointer(other)
        while index &+ 8 <= count {
            if mine.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                != theirs.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            {
                return false
            }
            index &+= 8
        }
        while index < count {
            if base[index] != other[index] { return false }
            index &+= 1
        }
        return true
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
