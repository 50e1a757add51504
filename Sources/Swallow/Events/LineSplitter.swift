import Foundation

/// Takes bytes in parts of any size, and gives the lines that are complete.
///
/// A line ends in LF or in CR and LF, which may come in different parts.
struct LineSplitter: Sendable {
    /// A line has more bytes than it may.
    struct Overflow: Error {}

    private let limit: Int
    private var part = Data()
    private var position = 0
    /// What earlier parts had of the line under way.
    private var beginning: [UInt8] = []

    init(limit: Int) {
        self.limit = Swift.max(0, limit)
    }

    /// Takes the next bytes; all lines of those before must have been taken.
    mutating func append(_ bytes: Data) {
        part = bytes
        position = 0
    }

    /// The next line, made of its bytes; nil once more bytes are needed.
    mutating func next<Line>(
        _ make: (UnsafeRawBufferPointer) throws -> Line
    ) throws -> Line? {
        let count = part.count
        if position >= count { return nil }
        // The scan is the C library's: it takes 32 bytes at a time, where a loop over Data took one.
        return try part.withUnsafeBytes { bytes in
            let rest = UnsafeRawBufferPointer(rebasing: bytes[position...])
            guard let length = rest.firstIndexOfLineFeed else {
                guard beginning.count + rest.count <= limit + 1 else { throw Overflow() }
                beginning.append(contentsOf: rest)
                position = count
                return nil
            }
            position += length + 1
            let end = UnsafeRawBufferPointer(rebasing: rest[..<length])
            if beginning.isEmpty { return try line(end, make) }
            guard beginning.count + length <= limit + 1 else { throw Overflow() }
            beginning.append(contentsOf: end)
            let joined = beginning
            beginning = []
            return try joined.withUnsafeBytes { try line($0, make) }
        }
    }

    /// What follows the last line's end, if anything does.
    mutating func last<Line>(_ make: (UnsafeRawBufferPointer) throws -> Line) throws -> Line? {
        if beginning.isEmpty { return nil }
        let joined = beginning
        beginning = []
        return try joined.withUnsafeBytes { bytes in
            guard bytes.count <= limit else { throw Overflow() }
            return try make(bytes)
        }
    }

    private func line<Line>(
        _ bytes: UnsafeRawBufferPointer, _ make: (UnsafeRawBufferPointer) throws -> Line
    ) throws -> Line {
        let hasReturn = bytes.last == UInt8(ascii: "\r")
        let line = hasReturn ? UnsafeRawBufferPointer(rebasing: bytes.dropLast()) : bytes
        guard line.count <= limit else { throw Overflow() }
        return try make(line)
    }
}

extension UnsafeRawBufferPointer {
    /// Where the first LF is.
    fileprivate var firstIndexOfLineFeed: Int? {
        guard let baseAddress, let found = memchr(baseAddress, Int32(UInt8(ascii: "\n")), count) else {
            return nil
        }
        return UnsafeRawPointer(found) - baseAddress
    }
}
