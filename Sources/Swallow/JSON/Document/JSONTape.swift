/// A document's text, and the words that say which of it is what.
///
/// It owns nothing and costs nothing to pass on: valid while its ``JSONDocument`` is held, so it is only used
/// inside that one's methods, in `withExtendedLifetime`, and by ``JSONReading``, which holds the document.
struct JSONTape {
    /// The text that the words' offsets point into, and ``JSONDocument/padding`` zero bytes.
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
        word.kind == .escaped
            ? JSONString.unescaped(text(of: word)) : String(decoding: text(of: word), as: UTF8.self)
    }

    /// The value of the first member of that name in the object at `position`.
    @inline(__always)
    func member(_ name: String, ofObjectAt position: Int) -> Int? {
        JSONName.with(name) { name in
            name.position(in: self, from: position &+ 1, to: end(of: position))
        }
    }

    /// The same where the value need not be an object, and negative for nil: an optional goes through memory.
    @inline(__always)
    func memberPosition(_ name: String, ofObjectAt position: Int) -> Int {
        let word = word(at: position)
        guard word.kind == .object else { return -1 }
        return JSONName.with(name) { name in
            name.position(in: self, from: position &+ 1, to: word.offset) ?? -1
        }
    }
}
