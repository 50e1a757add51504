/// A document's text, and the words that say what is where in it.
///
/// It owns nothing and costs nothing to pass on: valid while its ``JSONDocument`` is held, so it is only used
/// inside that one's methods, in `withExtendedLifetime`, and by ``JSONReading``, which holds the document.
struct JSONTape {
    /// The text that the words' offsets point into, then ``JSONDocument/padding`` zero bytes.
    let bytes: UnsafePointer<UInt8>
    /// One whole value per root. Offsets, lengths and ends in them have been checked when written.
    let words: UnsafePointer<UInt64>

    @inline(__always)
    func word(at position: Int) -> JSONWord {
        JSONWord(bits: words[position])
    }

    /// The position after the value at this one.
    @inline(__always)
    func end(of position: Int) -> Int {
        let word = word(at: position)
        // Most values are no containers; the hint makes a jump of it that the processor foresees.
        return _fastPath(!word.isContainer) ? position &+ 1 : word.offset
    }

    /// The bytes of a string or number, as they stand in the text.
    @inline(__always)
    func text(of word: JSONWord) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: bytes + word.offset, count: word.length)
    }

    /// A string's value, or a number's spelling.
    @inline(__always)
    func string(_ word: JSONWord) -> String {
        if _slowPath(word.kind == .escaped) { return JSONText.unescaped(text(of: word)) }
        return JSONText.string(text(of: word), isASCII: word.kind != .text)
    }

    /// Returns the position of the value of an object's first member with this name. Negative if there is none, because
    /// an optional would go through memory.
    @inline(__always)
    func member(_ name: String, ofObjectAt position: Int, end: Int) -> Int {
        var work = 0
        return JSONName.with(name) { name in name.position(in: self, from: position &+ 1, to: end, &work) }
    }
}

/// One entry of a document's tape: from the top, 4 bits of kind, 28 of length or count, 32 of offset or end.
///
/// | kind                        | 28 bits             | 32 bits                             |
/// |-----------------------------|---------------------|-------------------------------------|
/// | null, false, true           | 0                   | 0                                   |
/// | integer, fraction           | length of its text  | where its text begins               |
/// | ascii, text, escaped        | length of its text  | where its text begins, quotes aside |
/// | array, object               | elements or members | the tape's index after its last one |
///
/// An array's elements follow its word, and so do an object's members: for each the name, then the value.
struct JSONWord {
    let bits: UInt64

    enum Kind: UInt8 {
        case null
        case `false`
        case `true`
        /// A number without point or exponent.
        case integer
        /// Any other number.
        case fraction
        /// A string of ASCII without escapes.
        case ascii
        /// A string without escapes, some of it not ASCII.
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

    /// Both numbers must be within the limits.
    @inline(__always)
    init(_ kind: Kind, length: Int = 0, offset: Int = 0) {
        bits =
            UInt64(kind.rawValue) &<< 60 | UInt64(bitPattern: Int64(length)) &<< 32
            | UInt64(bitPattern: Int64(offset))
    }

    /// The four bits are always those of a kind, since `init(_:length:offset:)` puts them there and lengths
    /// that would spill into them are refused. Asking `Kind(rawValue:)` would be a call for every look.
    @inline(__always)
    var kind: Kind { unsafeBitCast(UInt8(truncatingIfNeeded: bits &>> 60), to: Kind.self) }

    @inline(__always)
    var length: Int { Int(truncatingIfNeeded: bits &>> 32) & Self.lengthLimit }

    @inline(__always)
    var offset: Int { Int(UInt32(truncatingIfNeeded: bits)) }

    /// A string without escapes has kind and length in common with all that may equal it byte for byte.
    @inline(__always)
    var head: UInt32 { UInt32(truncatingIfNeeded: bits &>> 32) }

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
