/// The reason why a document can't be parsed, with the expected and the actual text, and its position.
public struct JSONError: Error, Sendable, Hashable {
    /// The number of bytes before the fault. If the document ended too early, this is its length.
    public let offset: Int
    /// The line of the fault, from 1. Only line feeds begin a new line.
    public let line: Int
    /// The position of the fault in its line, in bytes, from 1.
    public let column: Int
    package let expected: String
    package let excerpt: String

    init(expected: String, at offset: Int, in bytes: UnsafeRawBufferPointer) {
        let before = bytes.prefix(offset)
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        self.offset = offset
        self.line = 1 + before.count { $0 == UInt8(ascii: "\n") }
        self.column = 1 + offset - lineStart
        self.expected = expected
        self.excerpt = Self.excerpt(of: bytes.dropFirst(offset))
    }

    private static func excerpt(of bytes: Slice<UnsafeRawBufferPointer>) -> String {
        let limit = 24
        guard bytes.count > limit else { return String(decoding: bytes, as: UTF8.self) }
        let isContinuation = { (byte: UInt8) in byte & 0b1100_0000 == 0b1000_0000 }
        let cutCharacter = bytes.dropFirst(limit).prefix(3).prefix(while: isContinuation)
        return String(decoding: bytes.prefix(limit + cutCharacter.count), as: UTF8.self)
    }
}

extension JSONError: CustomStringConvertible {
    /// A description such as `line 2, column 8 (byte 14): expected ',' or ']', found "} "`.
    public var description: String {
        let found = excerpt.isEmpty ? "the end of the document" : excerpt.debugDescription
        return "\(descriptionOfPlace), found \(found)"
    }

    package var descriptionOfPlace: String {
        "line \(line), column \(column) (byte \(offset)): expected \(expected)"
    }
}
