/// A fault that the parser has found in a text.
// Unchecked: the parser catches the fault while the text still exists.
struct JSONFault: Error, @unchecked Sendable {
    private let expected: String
    private let expectedAtEnd: String
    private let place: JSONScanner.Place
    /// The byte at which the parser noticed the fault. At the end of the text, the error says that the text was cut off.
    private let reached: JSONScanner.Place

    @inline(never)
    init(
        _ expected: String, at place: JSONScanner.Place, reached: JSONScanner.Place? = nil,
        atEnd: String? = nil
    ) {
        (self.expected, expectedAtEnd) = (expected, atEnd ?? expected)
        (self.place, self.reached) = (place, reached ?? place)
    }

    func failure(in bytes: UnsafeRawBufferPointer) -> JSONError {
        let offset = bytes.baseAddress.map { $0.distance(to: UnsafeRawPointer(reached)) } ?? 0
        return offset < bytes.count
            ? JSONError(expected: expected, at: offset - (reached - place), in: bytes)
            : JSONError(expected: expectedAtEnd, at: bytes.count, in: bytes)
    }

    static func tooMany(at place: JSONScanner.Place) -> JSONFault {
        JSONFault("at most \(JSONWord.lengthLimit) elements or members in one container", at: place)
    }

    static func tooLong(at place: JSONScanner.Place) -> JSONFault {
        JSONFault("at most \(JSONWord.lengthLimit) bytes in a string or number", at: place)
    }

    @inline(never)
    static func literal(_ literal: String, at place: JSONScanner.Place) -> JSONFault {
        let count = literal.utf8.enumerated().prefix { place[$0.offset] == $0.element }.count
        return JSONFault("'\(literal)'", at: place, reached: place + count)
    }

    @inline(never)
    static func malformedCharacter(at place: JSONScanner.Place) -> JSONFault {
        var bytes = UnsafeBufferPointer(start: place, count: 4).makeIterator()
        var parser = Unicode.UTF8.ForwardParser()
        // The length of a bad first byte is 1, too, but no byte can complete it.
        let isCutOff = (0xC2...0xF4).contains(place.pointee)
        guard case .error(let length) = parser.parseScalar(from: &bytes), isCutOff else {
            return JSONFault("well-formed UTF-8", at: place)
        }
        return JSONFault(
            "well-formed UTF-8", at: place, reached: place + length, atEnd: "the rest of a UTF-8 character")
    }
}
