enum PercentCoding {
    /// Splits `a=1&b=2`. An item without `=` has an empty value.
    static func items(_ text: String, plusIsSpace: Bool) -> [(name: String, value: String)] {
        text.split(separator: "&").map { piece in
            let halves = piece.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let decoded = halves.map { decode($0, plusIsSpace: plusIsSpace) }
            return (decoded.first ?? "", decoded.count > 1 ? decoded[1] : "")
        }
    }

    /// An incomplete escape is left unchanged.
    static func decode(_ text: Substring, plusIsSpace: Bool = false) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let octet = octet(rest.prefix(2)) {
                bytes.append(octet)
                rest = rest.dropFirst(2)
            } else if byte == UInt8(ascii: "+"), plusIsSpace {
                bytes.append(UInt8(ascii: " "))
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func octet(_ digits: Substring.UTF8View) -> UInt8? {
        let values = digits.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        return values.count == 2 ? UInt8(values[0] * 16 + values[1]) : nil
    }
}
