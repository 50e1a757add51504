import Foundation

@usableFromInline
final class JSONDocument: Sendable {
    // Threads may share the pointers, because their memory doesn't change until `deinit` releases it.
    nonisolated(unsafe) let tape: JSONTape
    let index: JSONIndex?
    private let textSize: Int
    private let tapeSize: Int
    private let isFault: Bool

    static let padding = 64

    static let constants = JSONDocument(
        text: UnsafeRawBufferPointer(start: nil, count: 0),
        words: [JSONWord(.null), JSONWord(.false), JSONWord(.true)].map(\.bits))

    init(text: JSONMemory, tape words: JSONMemory, count: Int, isFault: Bool = false) {
        tape = JSONTape(
            bytes: UnsafePointer(text.start.assumingMemoryBound(to: UInt8.self)),
            words: UnsafePointer(words.start.assumingMemoryBound(to: UInt64.self)))
        (textSize, tapeSize) = (text.size, words.size)
        index = JSONIndex.forTape(of: count)
        self.isFault = isFault
    }

    convenience init(text: UnsafeRawBufferPointer, words: [UInt64], isFault: Bool = false) {
        let text = Self.block(copying: text, padding: Self.padding)
        let tape = words.withUnsafeBytes { Self.block(copying: $0, padding: 0) }
        self.init(text: text, tape: tape, count: words.count, isFault: isFault)
    }

    private static func block(copying source: UnsafeRawBufferPointer, padding: Int) -> JSONMemory {
        let size = source.count + padding
        let block = JSONMemory(atLeast: size) ?? JSONMemory(trappingWithout: size)
        if let base = source.baseAddress { memcpy(block.start, base, source.count) }
        memset(block.start + source.count, 0, padding)
        return block
    }

    var fault: String? {
        // The zero bytes after the text terminate the C string.
        isFault ? withExtendedLifetime(self) { String(cString: tape.bytes) } : nil
    }

    deinit {
        JSONMemory(start: UnsafeMutableRawPointer(mutating: tape.bytes), size: textSize).release()
        JSONMemory(start: UnsafeMutableRawPointer(mutating: tape.words), size: tapeSize).release()
    }
}

extension JSONDocument {
    @inline(__always)
    func word(at position: Int) -> JSONWord {
        withExtendedLifetime(self) { tape.word(at: position) }
    }

    @inline(__always)
    func end(of position: Int) -> Int {
        withExtendedLifetime(self) { tape.end(of: position) }
    }

    /// Calls ``end(of:)``, which can't be called by code that is inlined into an app.
    @usableFromInline
    func end(ofPart position: Int) -> Int {
        end(of: position)
    }

    @inline(__always)
    func withText<Result>(of word: JSONWord, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        withExtendedLifetime(self) { body(tape.text(of: word)) }
    }

    @inline(__always)
    func string(_ word: JSONWord) -> String {
        withExtendedLifetime(self) { tape.string(word) }
    }
}

/// The positions of the parts of large containers. Without them, looking up all parts could take quadratic time.
final class JSONIndex: Sendable {
    static let leastParts = 256

    private static let lookupsBeforeIndexing = 8

    private struct Parts {
        var elements: [UInt32] = []
        var names: JSONNameTable?
        var lookups = 0

        mutating func member(_ name: String, ofObjectAt position: Int, in tape: JSONTape) -> Int? {
            lookups += 1
            guard lookups > JSONIndex.lookupsBeforeIndexing else { return nil }
            if names == nil { names = JSONNameTable(ofObjectAt: position, in: tape) }
            return names?.position(of: name) ?? -1
        }
    }

    private let parts = Lock<[Int: Parts]>([:])

    private init() {}

    static func forTape(of count: Int) -> JSONIndex? {
        count > leastParts ? JSONIndex() : nil
    }

    func element(_ index: Int, ofArrayAt position: Int, in tape: JSONTape) -> Int {
        parts.withLock { parts in
            if parts[position] == nil {
                parts[position] = Parts(elements: tape.elements(ofArrayAt: position))
            }
            return parts[position].map { Int($0.elements[index]) } ?? -1
        }
    }

    func member(_ name: String, ofObjectAt position: Int, in tape: JSONTape) -> Int? {
        parts.withLock { parts in
            parts[position, default: Parts()].member(name, ofObjectAt: position, in: tape)
        }
    }
}
