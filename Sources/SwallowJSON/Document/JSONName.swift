/// A member's name to look for, as bytes.
///
/// Names are equal where Swift's strings are, that is by canonical equivalence: `é` may be one scalar or two,
/// and the Kelvin sign is a `K`. Equal bytes are tried first, and suffice where all is ASCII.
///
/// Eight bytes are compared at once; the name's are compared in place, without a copy.
struct JSONName {
    private let bytes: UnsafeBufferPointer<UInt8>
    /// The first eight bytes, or fewer and zeros.
    private let start: UInt64
    /// The last eight bytes of more than eight.
    private let end: UInt64
    private let mask: UInt64
    /// The upper half of the word that an equal name of ASCII has.
    private let head: UInt32

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
        end =
            bytes.count > 8 ? bytes.baseAddress.map { JSONScanner.load8($0 + (bytes.count &- 8)) } ?? 0 : 0
        mask = Self.mask(of: bytes.count)
        // A longer name than any in a document must not be cut to the length of another: no kind is 15.
        head = bytes.count <= JSONWord.lengthLimit ? JSONWord(.ascii, length: bytes.count).head : .max
    }

    /// The bits that a name of that length takes of eight bytes.
    @inline(__always)
    static func mask(of length: Int) -> UInt64 {
        length >= 8 ? .max : 1 &<< UInt64(truncatingIfNeeded: 8 &* length) &- 1
    }

    /// The first eight bytes; parts that overlap have the same bits.
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

    /// Finds the first member with this name, from one name's position up to another's, and returns the position of its
    /// value; negative if there is none.
    @inline(__always)
    func position(in tape: JSONTape, from start: Int, to end: Int) -> Int {
        var work = 0
        return position(in: tape, from: start, to: end, &work)
    }

    /// ``position(in:from:to:)``, which adds the work that it takes.
    @inline(__always)
    func position(in tape: JSONTape, from start: Int, to end: Int, _ work: inout Int) -> Int {
        let isASCII = isASCII
        var position = start
        while position < end {
            if matches(tape.word(at: position), isASCII: isASCII, in: tape, &work) { return position &+ 1 }
            position = tape.end(of: position &+ 1)
        }
        return -1
    }

    /// Whether a word is this name. Adds to `work` what that costs, in units of a comparison of two ASCII names.
    @inline(__always)
    func matches(_ word: JSONWord, isASCII: Bool, in tape: JSONTape, _ work: inout Int) -> Bool {
        if isSpelled(as: word, in: tape) { return true }
        work &+= 1
        return _slowPath(!isASCII || word.kind != .ascii) && matchesOtherwise(word, in: tape, &work)
    }

    /// Compares names of which one isn't ASCII, or has escapes.
    @inline(never)
    private func matchesOtherwise(_ word: JSONWord, in tape: JSONTape, _ work: inout Int) -> Bool {
        if word.kind != .escaped {
            work &+= Self.workOfLook
            if word.length == bytes.count, hasBytes(tape.bytes + word.offset) { return true }
            if JSONEquivalence.areDifferent(bytes, tape.text(of: word)) { return false }
        }
        work &+= Self.workOfStrings
        return tape.string(word) == String(decoding: bytes, as: UTF8.self)
    }

    /// The work of comparing the bytes of two names; of making and comparing two strings.
    private static let workOfLook = 7
    static let workOfStrings = 150

    /// Whether the word is a name of ASCII with the same bytes.
    @inline(__always)
    func isSpelled(as word: JSONWord, in tape: JSONTape) -> Bool {
        word.head == head && hasBytes(tape.bytes + word.offset)
    }

    /// Whether a document's bytes at that place begin with the name's.
    @inline(__always)
    private func hasBytes(_ other: UnsafePointer<UInt8>) -> Bool {
        // The padding of a document makes loading eight legal.
        guard JSONScanner.load8(other) & mask == start else { return false }
        if bytes.count <= 8 { return true }
        guard JSONScanner.load8(other + (bytes.count &- 8)) == end else { return false }
        return bytes.count <= 16 || hasBytesInside(other)
    }

    @inline(__always)
    private func hasBytesInside(_ other: UnsafePointer<UInt8>) -> Bool {
        guard let base = bytes.baseAddress else { return true }
        var index = 8
        while index &+ 8 < bytes.count {
            guard JSONScanner.load8(base + index) == JSONScanner.load8(other + index) else { return false }
            index &+= 8
        }
        return true
    }

    @inline(__always)
    var isASCII: Bool {
        (start | end) & Self.highBits == 0 && (bytes.count <= 16 || isASCIIInside)
    }

    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    private var isASCIIInside: Bool {
        guard let base = bytes.baseAddress else { return true }
        var bits: UInt64 = 0
        for index in stride(from: 8, to: bytes.count &- 8, by: 8) { bits |= JSONScanner.load8(base + index) }
        return bits & Self.highBits == 0
    }

    /// The same bits that the word of an equal name of ASCII has.
    @inline(__always)
    var filter: JSONNameFilter { JSONNameFilter(start: start, end: end) }
}
