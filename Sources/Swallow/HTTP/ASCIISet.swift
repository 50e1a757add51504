struct ASCIISet: Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    static let hexadecimalDigits = ASCIISet("0123456789ABCDEFabcdef")
    static let lettersAndDigits = ASCIISet(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")

    init(_ characters: String) {
        for byte in characters.utf8 {
            if byte < 64 { low |= 1 << byte } else { high |= 1 << (byte - 64) }
        }
    }

    func adding(_ characters: String) -> ASCIISet {
        let others = ASCIISet(characters)
        var set = self
        set.low |= others.low
        set.high |= others.high
        return set
    }

    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        let bits = byte < 64 ? low : byte < 128 ? high : 0
        return bits &>> UInt64(byte & 63) & 1 == 1
    }
}
