import Foundation

/// A document: the owner of its text and tape.
///
/// `tape` is safe to share between threads: the document is the only owner of what it points to, nobody
/// writes there after `init`, and it is freed in `deinit`, which no reader outlives since it holds the document.
@usableFromInline
final class JSONDocument: Sendable {
    nonisolated(unsafe) let tape: JSONTape

    /// How far a reader may look beyond the end of the text.
    static let padding = 64

    /// `null`, `false`, `true`, at the positions of their kinds.
    static let constants = JSONDocument(
        bytes: [], words: [JSONWord(.null), JSONWord(.false), JSONWord(.true)].map(\.bits))

    /// Takes over two blocks of `malloc`'s.
    init(owning bytes: UnsafePointer<UInt8>, _ words: UnsafePointer<UInt64>) {
        tape = JSONTape(bytes: bytes, words: words)
    }

    /// Copies what a builder made.
    init(bytes: [UInt8], words: [UInt64]) {
        let text = bytes.withUnsafeBytes { Self.block(copying: $0, padding: Self.padding) }
        let tape = words.withUnsafeBytes { Self.block(copying: $0, padding: 0) }
        self.tape = JSONTape(
            bytes: text.assumingMemoryBound(to: UInt8.self), words: tape.assumingMemoryBound(to: UInt64.self))
    }

    /// Ends the process where there is no memory, as Swift does for any array.
    private static func block(copying source: UnsafeRawBufferPointer, padding: Int) -> UnsafeRawPointer {
        let size = source.count + padding
        let block = malloc(size) ?? .allocate(byteCount: size, alignment: 16)
        if let base = source.baseAddress { memcpy(block, base, source.count) }
        memset(block + source.count, 0, padding)
        return UnsafeRawPointer(block)
    }

    deinit {
        free(UnsafeMutableRawPointer(mutating: tape.bytes))
        free(UnsafeMutableRawPointer(mutating: tape.words))
    }
}

// MARK: - Reading

extension JSONDocument {
    @inline(__always)
    func word(at position: Int) -> JSONWord {
        withExtendedLifetime(self) { tape.word(at: position) }
    }

    /// The position after the value at this one.
    @inline(__always)
    func end(of position: Int) -> Int {
        withExtendedLifetime(self) { tape.end(of: position) }
    }

    /// ``end(of:)`` for what is compiled into an app.
    @usableFromInline
    @_effects(releasenone)
    func end(ofPart position: Int) -> Int {
        end(of: position)
    }

    /// Gives `body` the bytes of a string or number, as they stand in the text.
    @inline(__always)
    func withText<Result>(of word: JSONWord, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        withExtendedLifetime(self) { body(tape.text(of: word)) }
    }

    /// A string's value, or a number's spelling.
    @inline(__always)
    func string(_ word: JSONWord) -> String {
        withExtendedLifetime(self) { tape.string(word) }
    }

    /// The value of the first member of that name in the object at `position`.
    @inline(__always)
    func member(_ name: String, ofObjectAt position: Int) -> Int? {
        withExtendedLifetime(self) { tape.member(name, ofObjectAt: position) }
    }
}
