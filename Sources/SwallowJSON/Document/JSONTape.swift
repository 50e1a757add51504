/// A document's text, and words that describe its structure. Only valid while the ``JSONDocument`` is retained.
struct JSONTape {
    /// The text. ``JSONDocument/padding`` zero bytes follow a parsed text.
    let bytes: UnsafePointer<UInt8>
    let words: UnsafePointer<UInt64>

    @inline(__always)
    func word(at position: Int) -> JSONWord {
        JSONWord(bits: words[position])
    }

    @inline(__always)
    func end(of position: Int) -> Int {
        let word = word(at: position)
        // Most values aren't containers. The hint makes the compiler emit a branch, which the processor predicts.
        return _fastPath(!word.isContainer) ? position &+ 1 : word.offset
    }

    @inline(__always)
    func text(of word: JSONWord) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: bytes + word.offset, count: word.length)
    }

    @inline(__always)
    func string(_ word: JSONWord) -> String {
        if _slowPath(word.kind == .escaped) { return JSONText.unescaped(text(of: word)) }
        return JSONText.string(text(of: word), isASCII: word.kind != .text)
    }

    /// Returns the position of the member's value, or -1.
    @inline(__always)
    func member(_ name: String, ofObjectAt position: Int, end: Int) -> Int {
        let (value, isUnknown) = JSONName.with(name) { name in
            var work = 0
            let value = name.position(in: self, from: position &+ 1, to: end, &work)
            let isUnknown = value < 0 && name.mayHaveEquivalents(in: self, ofObjectAt: position)
            return (value, isUnknown)
        }
        return _slowPath(isUnknown) ? equivalentMember(name, ofObjectAt: position) : value
    }

    @inline(never)
    private func equivalentMember(_ name: String, ofObjectAt position: Int) -> Int {
        parts(ofContainerAt: position).first { string(word(at: $0)) == name }.map { $0 + 1 } ?? -1
    }

    func elements(ofArrayAt position: Int) -> [UInt32] {
        parts(ofContainerAt: position).map { UInt32(truncatingIfNeeded: $0) }
    }

    @inline(__always)
    func parts(ofContainerAt position: Int) -> JSONParts {
        JSONParts(tape: self, ofContainerAt: position)
    }
}

/// The positions of an array's elements, or of the names of an object's members.
struct JSONParts: Sequence, IteratorProtocol {
    private let tape: JSONTape
    private let wordsBeforeValue: Int
    private let end: Int
    private var place: Int
    let underestimatedCount: Int

    @inline(__always)
    fileprivate init(tape: JSONTape, ofContainerAt position: Int) {
        let word = tape.word(at: position)
        self.tape = tape
        wordsBeforeValue = word.kind == .object ? 1 : 0
        end = word.offset
        place = position &+ 1
        underestimatedCount = word.length
    }

    @inline(__always)
    mutating func next() -> Int? {
        guard place < end else { return nil }
        defer { place = tape.end(of: place &+ wordsBeforeValue) }
        return place
    }
}

/// One entry of the tape. Its highest 4 bits are the kind. The other bits depend on the kind:
/// | kind                        | 28 bits             | 32 bits                             |
/// |-----------------------------|---------------------|-------------------------------------|
/// | null, false, true           | 0                   | 0                                   |
/// | integer, fraction           | length of its text  | where its text begins               |
/// | ascii, text, escaped        | length of its text  | where its text begins               |
/// | array, object               | elements or members | the position after its last part    |
/// The elements of an array follow its word. The name and the value of each member follow an object's word.
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
        /// A string with characters outside ASCII, without escapes.
        case text
        /// A string with escapes.
        case escaped
        case array
        case object
    }

    static let lengthLimit = (1 << 28) - 1
    static let offsetLimit = Int(clamping: UInt32.max)

    @inline(__always)
    init(bits: UInt64) {
        self.bits = bits
    }

    /// - Precondition: `length` is at most `lengthLimit`, and `offset` is at most `offsetLimit`.
    @inline(__always)
    init(_ kind: Kind, length: Int = 0, offset: Int = 0) {
        bits =
            UInt64(kind.rawValue) &<< 60 | UInt64(bitPattern: Int64(length)) &<< 32
            | UInt64(bitPattern: Int64(offset))
    }

    /// The cast is safe, because the four bits are always a raw value. `Kind(rawValue:)` would be a function call.
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
