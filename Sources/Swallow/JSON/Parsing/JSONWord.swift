/// One entry of a document's tape: from the top, 4 bits of kind, 28 of length or count, 32 of offset or end.
///
/// | kind                        | 28 bits             | 32 bits                             |
/// |-----------------------------|---------------------|-------------------------------------|
/// | null, false, true           | 0                   | 0                                   |
/// | integer, fraction           | length of its text  | where its text begins               |
/// | ascii, text, escaped        | length of its text  | where its text begins, quotes aside |
/// | array, object               | elements or members | the tape's index after its last one |
///
/// An array's elements follow its word. An object's members do: for each a string, then the value.
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
    static let offsetLimit = Int(UInt32.max)

    @inline(__always)
    init(bits: UInt64) {
        self.bits = bits
    }

    /// Both numbers must be within the limits above.
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
