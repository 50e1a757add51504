/// A document's text, with the words that describe its structure.
///
/// A tape doesn't own its memory. It is valid while its ``JSONDocument`` is retained.
struct JSONTape {
    /// The text, followed by ``JSONDocument/padding`` zero bytes.
    let bytes: UnsafePointer<UInt8>
    /// The words of complete values. Their offsets, lengths and ends are valid.
    let words: UnsafePointer<UInt64>

    @inline(__always)
    func word(at position: Int) -> JSONWord {
        JSONWord(bits: words[position])
    }

    /// The position after the value at a position.
    @inline(__always)
    func end(of position: Int) -> Int {
        let word = word(at: position)
        // Most values aren't containers. With the hint, the processor predicts the branch.
        return _fastPath(!word.isContainer) ? position &+ 1 : word.offset
    }

    /// The bytes of a string or number, including escapes.
    @inline(__always)
    func text(of word: JSONWord) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: bytes + word.offset, count: word.length)
    }

    /// The value of a string, or the spelling of a number.
    @inline(__always)
    func string(_ word: JSONWord) -> String {
        if _slowPath(word.kind == .escaped) { return JSONText.unescaped(text(of: word)) }
        return JSONText.string(text(of: word), isASCII: word.kind != .text)
    }

    /// Returns the position of the value of an object's member with this name. Negative if there is none, because an
    /// optional would go through memory.
    @inline(__always)
    func member(_ name: String, ofObjectAt position: Int, end: Int) -> Int {
        let (value, isUnknown) = JSONName.with(name) { name in
            var work = 0
            let value = name.position(in: self, from: position &+ 1, to: end, &work)
            let isUnknown = value < 0 && name.mayHaveEquivalents(in: self, from: position &+ 1, to: end)
            return (value, isUnknown)
        }
        return _slowPath(isUnknown) ? equivalentMember(name, ofObjectAt: position, end: end) : value
    }

    @inline(never)
    private func equivalentMember(_ name: String, ofObjectAt position: Int, end: Int) -> Int {
        var place = position + 1
        while place < end {
            if string(word(at: place)) == name { return place + 1 }
            place = self.end(of: place + 1)
        }
        return -1
    }
}

/// One entry of a document's tape. From the highest bit, it has 4 bits of kind, 28 bits of length or count, and 32 bits
/// of offset or end.
///
/// | kind                        | 28 bits             | 32 bits                             |
/// |-----------------------------|---------------------|-------------------------------------|
/// | null, false, true           | 0                   | 0                                   |
/// | integer, fraction           | length of its text  | where its text begins               |
/// | ascii, text, escaped        | length of its text  | where its text begins               |
/// | array, object               | elements or members | the tape's index after its last one |
///
/// An array's word is followed by its elements. An object's word is followed by the name and the value of each member.
struct JSONWord {
    let bits: UInt64

    enum Kind: UInt8 {
        case null
        case `false`
        case `true`
        /// A number without a point or an exponent.
        case integer
        /// Any other number.
        case fraction
        /// An ASCII string without escapes.
        case ascii
        /// A string outside ASCII without escapes.
        case text
        /// A string with escapes.
        case escaped
        case array
        case object
    }

    /// The largest length of a string or number, and the largest count of a container.
    static let lengthLimit = (1 << 28) - 1
    /// The largest offset into a document's bytes.
    static let offsetLimit = Int(clamping: UInt32.max)

    @inline(__always)
    init(bits: UInt64) {
        self.bits = bits
    }

    /// - Precondition: Both numbers are within the limits.
    @inline(__always)
    init(_ kind: Kind, length: Int = 0, offset: Int = 0) {
        bits =
            UInt64(kind.rawValue) &<< 60 | UInt64(bitPattern: Int64(length)) &<< 32
            | UInt64(bitPattern: Int64(offset))
    }

    /// The four bits are always a kind's raw value, because lengths beyond the limit are rejected. `Kind(rawValue:)`
    /// would be a function call.
    @inline(__always)
    var kind: Kind { unsafeBitCast(UInt8(truncatingIfNeeded: bits &>> 60), to: Kind.self) }

    @inline(__always)
    var length: Int { Int(truncatingIfNeeded: bits &>> 32) & Self.lengthLimit }

    @inline(__always)
    var offset: Int { Int(UInt32(truncatingIfNeeded: bits)) }

    @inline(__always)
    var isContainer: Bool { bits >= UInt64(Kind.array.rawValue) &<< 60 }

    @inline(__always)
    var isString: Bool {
        bits >= UInt64(Kind.ascii.rawValue) &<< 60 && bits < UInt64(Kind.array.rawValue) &<< 60
    }

    @inline(__always)
    var isNumber: Bool {
        bits >= UInt64(Kind.integer.rawValue) &<< 60 && bits < UInt64(Kind.ascii.rawValue) &<< 60
    }
}
