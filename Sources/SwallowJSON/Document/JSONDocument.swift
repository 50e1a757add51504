import Foundation

@usableFromInline
final class JSONDocument: Sendable {
    private let text: JSONMemory
    private let words: JSONMemory
    let index: JSONIndex?
    let fault: String?

    /// The number of zero bytes after a parsed text.
    static let padding = 64

    /// The literals, each at the raw value of its kind.
    static let constants = JSONDocument()

    init(text: JSONMemory, words: JSONMemory, count: Int) {
        (self.text, self.words) = (text, words)
        index = JSONIndex.forTape(of: count)
        fault = nil
    }

    init(fault: String? = nil) {
        let literals = [JSONWord(.null), JSONWord(.false), JSONWord(.true)].map(\.bits)
        text = JSONMemory(copying: UnsafeRawBufferPointer(start: nil, count: 0))
        words = literals.withUnsafeBytes { JSONMemory(copying: $0) }
        index = nil
        self.fault = fault
    }

    deinit {
        text.release()
        words.release()
    }

    @inline(__always)
    var tape: JSONTape {
        JSONTape(
            bytes: UnsafePointer(text.start.assumingMemoryBound(to: UInt8.self)),
            words: UnsafePointer(words.start.assumingMemoryBound(to: UInt64.self)))
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
