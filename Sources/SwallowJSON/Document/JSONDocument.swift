import Foundation

/// A document: the owner of its text and tape.
@usableFromInline
final class JSONDocument: Sendable {
    // Unsafe: pointers, which threads may share. The document owns the memory, which isn't written to after `init`. Every
    // reader holds the document, so none outlives `deinit`, which frees it.
    nonisolated(unsafe) let tape: JSONTape
    /// Finds the parts of large containers; nil in a document too small for it to pay.
    let index: JSONIndex?
    private let textSize: Int
    private let tapeSize: Int
    /// Whether this stands for a value that can't be written: then it has no words, and its text is the reason.
    private let isFault: Bool

    /// How far a reader may look beyond the end of the text.
    static let padding = 64

    /// `null`, `false`, `true`, at the positions of their kinds.
    static let constants = JSONDocument(
        text: UnsafeRawBufferPointer(start: nil, count: 0),
        words: [JSONWord(.null), JSONWord(.false), JSONWord(.true)].map(\.bits))

    /// Takes ownership of two blocks: padded text, and a tape of `count` words.
    init(text: JSONMemory, tape words: JSONMemory, count: Int, isFault: Bool = false) {
        tape = JSONTape(
            bytes: UnsafePointer(text.start.assumingMemoryBound(to: UInt8.self)),
            words: UnsafePointer(words.start.assumingMemoryBound(to: UInt64.self)))
        (textSize, tapeSize) = (text.size, words.size)
        index = JSONIndex.forTape(of: count)
        self.isFault = isFault
    }

    /// Copies text and words.
    convenience init(text: UnsafeRawBufferPointer, words: [UInt64], isFault: Bool = false) {
        let text = Self.block(copying: text, padding: Self.padding)
        let tape = words.withUnsafeBytes { Self.block(copying: $0, padding: 0) }
        self.init(text: text, tape: tape, count: words.count, isFault: isFault)
    }

    /// Ends the process where there is no memory, as Swift does for any array.
    private static func block(copying source: UnsafeRawBufferPointer, padding: Int) -> JSONMemory {
        let size = source.count + padding
        let block = JSONMemory(atLeast: size) ?? JSONMemory(trappingWithout: size)
        if let base = source.baseAddress { memcpy(block.start, base, source.count) }
        memset(block.start + source.count, 0, padding)
        return block
    }

    var fault: String? {
        // The padding ends the text.
        isFault ? withExtendedLifetime(self) { String(cString: tape.bytes) } : nil
    }

    deinit {
        JSONMemory(start: UnsafeMutableRawPointer(mutating: tape.bytes), size: textSize).release()
        JSONMemory(start: UnsafeMutableRawPointer(mutating: tape.words), size: tapeSize).release()
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
    func end(ofPart position: Int) -> Int {
        end(of: position)
    }

    /// Calls `body` with the bytes of a string or number, as they stand in the text.
    @inline(__always)
    func withText<Result>(of word: JSONWord, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        withExtendedLifetime(self) { body(tape.text(of: word)) }
    }

    /// A string's value, or a number's spelling.
    @inline(__always)
    func string(_ word: JSONWord) -> String {
        withExtendedLifetime(self) { tape.string(word) }
    }
}
