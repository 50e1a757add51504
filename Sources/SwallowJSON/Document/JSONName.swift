/// The UTF-8 bytes of a name to look up. If no member has them, the first canonically equivalent name is found.
struct JSONName {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let start: UInt64
    private let end: UInt64
    private let mask: UInt64

    /// Calls a closure with a name, which is valid only during the call.
    @inline(__always)
    static func with<Result>(_ name: String, _ body: (JSONName) throws -> Result) rethrows -> Result {
        if let result = try name.utf8.withContiguousStorageIfAvailable({ try body(JSONName($0)) }) {
            return result
        }
        return try withCopy(name, body)
    }

    @inline(never)
    private static func withCopy<Result>(
        _ name: String, _ body: (JSONName) throws -> Result
    ) rethrows -> Result {
        var copy = name
        return try copy.withUTF8 { bytes in try body(JSONName(bytes)) }
    }

    @inline(__always)
    private init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
        start = Self.start(of: bytes)
        end =
            bytes.count > 8 ? bytes.baseAddress.map { JSONScanner.load8($0 + (bytes.count &- 8)) } ?? 0 : 0
        mask = Self.mask(of: bytes.count)
    }

    @inline(__always)
    static func mask(of length: Int) -> UInt64 {
        length >= 8 ? .max : 1 &<< UInt64(truncatingIfNeeded: 8 &* length) &- 1
    }

    @inline(__always)
    private static func start(of bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
        guard let base = bytes.baseAddress, bytes.count > 0 else { return 0 }
        let count = bytes.count
        if count >= 8 { return JSONScanner.load8(base) }
        if count >= 4 {
            let last = UInt64(JSONScanner.load4(base + (count &- 4)))
            return UInt64(JSONScanner.load4(base)) | last &<< UInt64(truncatingIfNeeded: 8 &* (count &- 4))
        }
        let (middle, last) = (count &>> 1, count &- 1)
        return UInt64(base[0]) | UInt64(base[middle]) &<< UInt64(truncatingIfNeeded: 8 &* middle)
            | UInt64(base[last]) &<< UInt64(truncatingIfNeeded: 8 &* last)
    }

    @inline(__always)
    func position(in tape: JSONTape, from start: Int, to end: Int, _ work: inout Int) -> Int {
        var position = start
        while position < end {
            let word = tape.word(at: position)
            if isSpelled(as: word, in: tape) { return position &+ 1 }
            if _slowPath(word.kind == .escaped), isEscaped(as: word, in: tape) { return position &+ 1 }
            work &+= 1
            position = tape.end(of: position &+ 1)
        }
        return -1
    }

    @inline(__always)
    func isSpelled(as word: JSONWord, in tape: JSONTape) -> Bool {
        word.length == bytes.count && hasBytes(tape.bytes + word.offset) && _fastPath(word.kind != .escaped)
    }

    @inline(never)
    private func isEscaped(as word: JSONWord, in tape: JSONTape) -> Bool {
        tape.string(word).utf8.elementsEqual(bytes)
    }

    /// Returns whether an object may have an equivalent name. Only three ASCII characters have canonical equivalents.
    @inline(never)
    func mayHaveEquivalents(in tape: JSONTape, ofObjectAt object: Int) -> Bool {
        if bytes.contains(where: { $0 >= 0x80 }) { return true }
        guard bytes.contains(where: { "K;`".utf8.contains($0) }) else { return false }
        return tape.parts(ofContainerAt: object).contains { tape.word(at: $0).kind != .ascii }
    }

    @inline(__always)
    private func hasBytes(_ other: UnsafePointer<UInt8>) -> Bool {
        guard JSONScanner.load8(other) & mask == start else { return false }
        if bytes.count <= 8 { return true }
        guard JSONScanner.load8(other + (bytes.count &- 8)) == end else { return false }
        return bytes.count <= 16 || hasBytesInside(other)
    }

    @inline(__always)
    private func hasBytesInside(_ other: UnsafePointer<UInt8>) -> Bool {
        guard let base = bytes.baseAddress else { return true }
        var index = 8
        while index &+ 8 < bytes.count {
            guard JSONScanner.load8(base + index) == JSONScanner.load8(other + index) else { return false }
            index &+= 8
        }
        return true
    }

    @inline(__always)
    var filter: JSONNameFilter { JSONNameFilter(start: start, end: end) }
}
